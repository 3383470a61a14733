import { sql } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import { enqueue } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { deactivateRealm } from "../../administration/organization/deactivate.ts";
import { deletionKey, deleteRealm } from "./jobs.ts";

/** Deactivates the organization at once; a worker deletes its data. There is no way back. */
export async function requestDeletion(
  tx: Tx,
  realm: Pick<Realm, "id" | "string_id" | "name">,
  { keepsFiles = false } = {},
): Promise<void> {
  const { id, string_id, name } = realm;
  await tx.selectFrom("realms").select("id").where("id", "=", id).forNoKeyUpdate().execute();
  await tx
    .insertInto("realm_deletions")
    .values({ id, string_id, name, keeps_files: keepsFiles })
    // Requested again: a job that was given up starts over.
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ requested_at: sql<Date>`now()` }))
    .execute();
  await deactivateRealm(tx, realm);
  await enqueue(tx, deleteRealm, { id }, { key: deletionKey(id) });
}
