/** How much users and organizations may upload. Zero in the settings means no quota. */
import { sql } from "kysely";
import type { Config } from "../../../config.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

export interface UploadSpace {
  realm: number;
  user: number;
}

type Quotas = Pick<Config, "uploadQuotaMebibytes" | "userUploadQuotaMebibytes">;

/** The space taken by files, and by announced resumable uploads that are not finished and will be files. */
export async function spaceOf(db: Db, { id, realm_id }: User): Promise<UploadSpace> {
  const { rows } = await sql<UploadSpace>`
    select coalesce((select bytes from upload_space where realm_id = ${realm_id}), 0)::bigint as realm,
      (coalesce((select bytes from user_upload_space where user_id = ${id}), 0) + coalesce((
        select sum(size) from resumable_uploads
        where owner_id = ${id} and received < size and expires_at > now()
          and coalesce(final_path_id, path_id) is not null), 0))::bigint as "user"`.execute(db);
  return rows[0] ?? { realm: 0, user: 0 };
}

/** How many bytes still fit into both quotas. */
export const remainingSpace = (quotas: Quotas, used: UploadSpace): number =>
  Math.min(bytesOf(quotas.uploadQuotaMebibytes) - used.realm, bytesOf(quotas.userUploadQuotaMebibytes) - used.user);

/** Throws unless this much more fits; `status` is the status code the protocol expects. */
export function checkRoom(quotas: Quotas, used: UploadSpace, size: number, status = 400): void {
  if (used.realm + size > bytesOf(quotas.uploadQuotaMebibytes))
    throw new ApiError("Upload would exceed your organization's upload quota.", { code: "REALM_UPLOAD_QUOTA", status });
  if (used.user + size > bytesOf(quotas.userUploadQuotaMebibytes))
    throw new ApiError("Upload would exceed your personal upload quota. Delete some of your uploads first.", {
      code: "USER_UPLOAD_QUOTA",
      status,
    });
}

/**
 * Runs in the transaction that has added a file. It holds the locks on the counters until it ends, so that of two files
 * that would fit alone but not together one is refused. Returns the space used now.
 */
export async function checkQuotas(tx: Tx, quotas: Quotas, { id, realm_id }: User): Promise<UploadSpace> {
  const { rows } = await sql<UploadSpace>`
    select coalesce((select bytes from upload_space where realm_id = ${realm_id}), 0)::bigint as realm,
      coalesce((select bytes from user_upload_space where user_id = ${id}), 0)::bigint as "user"`.execute(tx);
  const used = rows[0] ?? { realm: 0, user: 0 };
  checkRoom(quotas, used, 0);
  return used;
}

const bytesOf = (mebibytes: number): number => (mebibytes === 0 ? Infinity : mebibytes * 1024 ** 2);
