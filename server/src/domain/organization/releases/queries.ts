import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** The generation of the release last announced to the organization's clients. */
export async function generationOf(db: Db, realm: Realm): Promise<number> {
  const row = await db
    .selectFrom("server_generations")
    .select("generation")
    .where("realm_id", "=", realm.id)
    .executeTakeFirst();
  // An older release created the organization, and no release has been announced since.
  return row?.generation ?? Math.floor(realm.date_created.getTime() / 1000);
}
