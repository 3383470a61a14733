import type { Linkifier } from "@skein/api/linkifiers.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** All linkifiers of an organization, in the order they are tried. */
export const listLinkifiers = (db: Db, realmId: number): Promise<Linkifier[]> =>
  db
    .selectFrom("realm_linkifiers")
    .select(["id", "pattern", "url_template"])
    .where("realm_id", "=", realmId)
    .orderBy("position")
    .orderBy("id")
    .execute();
