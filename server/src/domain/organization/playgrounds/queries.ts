import type { Playground } from "@skein/api/playgrounds.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** All playgrounds of an organization, oldest first. */
export const listPlaygrounds = (db: Db, realmId: number): Promise<Playground[]> =>
  db
    .selectFrom("realm_playgrounds")
    .select(["id", "name", "pygments_language", "url_template"])
    .where("realm_id", "=", realmId)
    .orderBy("id")
    .execute();
