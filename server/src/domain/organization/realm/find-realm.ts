/** Finds the organization of an unauthenticated request. */
import { ApiError, beingMoved } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** The organization with this host name, otherwise the one without a host name. */
export async function findRealm(db: Db, host: string): Promise<Realm> {
  const realm = await db
    .selectFrom("realms")
    .selectAll()
    .where((where) => where.or([where("host", "=", host.toLowerCase()), where("host", "is", null)]))
    .orderBy("host", (order) => order.asc().nullsLast())
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (!realm) throw new ApiError("Invalid subdomain", { code: "NONEXISTENT_SUBDOMAIN", status: 404 });
  if (realm.moved_to !== null) throw beingMoved();
  return realm;
}
