import { sql } from "kysely";
import type { Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import {
  columnOf,
  realmPermissionNames,
  realmPermissions,
  type RealmPermissionColumn,
} from "../permissions/realm-permissions.ts";
import { systemGroupNames, systemGroups, type SystemGroupName } from "../permissions/system-groups.ts";
import { systemGroupPermission } from "../permissions/user-group-permissions.ts";
import { release } from "../releases/release.ts";

export interface NewRealm {
  /** Its short name, part of what `sender_realm_str` tells. */
  string_id: string;
  name: string;
  /** The host name that selects it; without one it answers where no other is named. */
  host?: string;
}

/** An organization with its system groups and the server's own bots, and no people yet. */
export async function createRealm(tx: Tx, { string_id, name, host }: NewRealm): Promise<Realm> {
  const groupIds = await newGroupIds(tx);
  const permissions = realmPermissionNames.map((permission) => [
    columnOf(permission),
    groupIds[realmPermissions[permission].default],
  ]);
  const realm = await tx
    .insertInto("realms")
    .values({
      string_id,
      name,
      host: host?.toLowerCase() ?? null,
      // One entry for each permission of the table.
      ...(Object.fromEntries(permissions) as Record<RealmPermissionColumn, number>),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await addSystemGroups(tx, realm, groupIds);
  await addSystemBots(tx, realm);
  await tx.insertInto("server_generations").values({ realm_id: realm.id, release }).execute();
  return realm;
}

/**
 * The organization's permissions name groups, and the groups name the organization: the ids are taken first, and the
 * references are looked at when the transaction ends.
 */
async function newGroupIds(tx: Tx): Promise<Record<SystemGroupName, number>> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('user_groups', 'id')) as id
    from generate_series(1, ${systemGroupNames.length})`.execute(tx);
  const ids = systemGroupNames.map((group, index) => [group, rows[index]?.id]);
  return Object.fromEntries(ids) as Record<SystemGroupName, number>; // as many ids as names were asked for
}

async function addSystemGroups(tx: Tx, realm: Realm, ids: Record<SystemGroupName, number>): Promise<void> {
  const nobody = ids[systemGroupPermission];
  await tx
    .insertInto("user_groups")
    .values(
      systemGroupNames.map((name) => ({
        id: ids[name],
        realm_id: realm.id,
        name,
        is_system: true,
        ...systemGroups[name],
        can_add_members_group_id: nobody,
        can_join_group_id: nobody,
        can_leave_group_id: nobody,
        can_manage_group_id: nobody,
        can_mention_group_id: nobody,
        can_remove_members_group_id: nobody,
      })),
    )
    .execute();
}

/** The server speaks through these. Their addresses are in a domain that by its definition gets no mail. */
const systemBots = [
  { full_name: "Notification Bot", delivery_email: "notification-bot@skein.invalid" },
  { full_name: "Welcome Bot", delivery_email: "welcome-bot@skein.invalid" },
];

async function addSystemBots(tx: Tx, realm: Realm): Promise<void> {
  const bots = systemBots.map((bot) => ({
    ...bot,
    realm_id: realm.id,
    is_bot: true,
    is_system_bot: true,
    bot_type: 1,
  }));
  await tx.insertInto("users").values(bots).execute();
}
