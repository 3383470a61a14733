import type { Attachment } from "@skein/api/uploads.ts";
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { readableCarriers } from "./access.ts";

/** Limits the size of events about a file that is sent again and again. */
const maxMessages = 1000;

const owner = { id: "o.id", rank: "rank_of(o.role, o.date_joined, r.waiting_period_threshold)" };

const seconds = (time: string) => `floor(extract(epoch from ${time}))::bigint`;

/** The attachment as its owner sees it; the aliases are those of `listAttachments`. */
const attachmentObject = sql.raw(`json_build_object(
  'id', a.id, 'name', a.file_name, 'path_id', a.path_id, 'size', a.size, 'create_time', ${seconds("a.created_at")},
  'messages', coalesce((
    select json_agg(json_build_object('id', newest.id, 'date_sent', ${seconds("newest.date_sent")}) order by newest.id)
    from (
      select m.id, m.date_sent from ${readableCarriers(owner)} order by m.id desc limit ${maxMessages}
    ) as newest), '[]'))`);

export interface OwnedAttachment {
  owner_id: number;
  object: Attachment;
  /** Whether no message carries it. */
  is_unclaimed: boolean;
}

/** The attachments `a` that meet the condition, each as its owner sees it. */
export async function listAttachments(
  db: Db,
  realmId: number,
  condition: RawBuilder<unknown>,
): Promise<OwnedAttachment[]> {
  const { rows } = await sql<OwnedAttachment>`
    select a.owner_id, ${attachmentObject} as object, a.unclaimed_since is not null as is_unclaimed
    from attachments a join users o on o.id = a.owner_id join realms r on r.id = a.realm_id
    where a.realm_id = ${realmId} and ${condition} order by a.id`.execute(db);
  return rows;
}

export async function uploadSpaceUsed(db: Db, realmId: number): Promise<number> {
  const row = await db.selectFrom("upload_space").select("bytes").where("realm_id", "=", realmId).executeTakeFirst();
  return row?.bytes ?? 0;
}

/** SQL for whether an attachment's owner can read the message that carries it; `messageId` is SQL. */
export const isCarrierSeenByOwner = (messageId: string): RawBuilder<boolean> =>
  sql.raw(`exists (select from ${readableCarriers(owner)} and m.id = ${messageId})`);
