import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { groupOf, realmPermissions, type RealmPermission } from "./realm-permissions.ts";

/** Whether the user holds a permission of the organization. All such checks go through here. */
export const holdsRealmPermission = async (db: Db, user: User, permission: RealmPermission): Promise<boolean> =>
  (await heldRealmPermissions(db, user, [permission])).has(permission);

/** Which of these permissions of the organization the user holds. */
export async function heldRealmPermissions<P extends RealmPermission>(
  db: Db,
  user: User,
  permissions: readonly P[],
): Promise<ReadonlySet<P>> {
  const groups = permissions.map((permission) => groupOf(user.realm, permission));
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${groups}::bigint[]) as wanted (id)
    where in_group(${user.id}, ${user.rank}, id)`.execute(db);
  const inside = new Set(rows.map((row) => row.id));
  const mayHold = (permission: P) => user.role !== roles.guest || realmPermissions[permission].everyone;
  return new Set(
    permissions.filter((permission) => mayHold(permission) && inside.has(groupOf(user.realm, permission))),
  );
}
