import type { Realm } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";

/** Since when the release speaks that the organization's clients were last told of. */
export async function generationOf(db: Db, realm: Realm): Promise<number> {
  const row = await db
    .selectFrom("server_generations")
    .select("generation")
    .where("realm_id", "=", realm.id)
    .executeTakeFirst();
  // One that an older release made: nobody has been told of another since.
  return row?.generation ?? Math.floor(realm.date_created.getTime() / 1000);
}
