import type { UserSettings } from "@skein/api/settings.ts";
import { sql } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import {
  columnOf,
  realmPermissionNames,
  realmPermissions,
  type RealmPermissionColumn,
} from "../permissions/realm-permissions.ts";
import { systemGroupNames, systemGroups, type SystemGroupName } from "../permissions/system-groups.ts";
import { systemGroupPermission } from "../permissions/user-group-permissions.ts";
import { release } from "../../../platform/release.ts";

export interface NewRealm {
  /** Its short name, which `sender_realm_str` reports. */
  string_id: string;
  name: string;
  /** The host name that selects it; without one it serves every host that selects no other organization. */
  host?: string;
}

/** Default user settings of a new organization that differ from the protocol's defaults. */
const firstDefaults: Partial<UserSettings> = { enter_sends: true };

/** Creates an organization with its system groups and system bots, and no users yet. */
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
      user_settings_defaults: JSON.stringify(firstDefaults),
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
 * The organization refers to groups by its permissions, and the groups refer to the organization. So the ids are
 * allocated first, and the foreign keys are checked when the transaction commits.
 */
async function newGroupIds(tx: Tx): Promise<Record<SystemGroupName, number>> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('user_groups', 'id')) as id
    from generate_series(1, ${systemGroupNames.length})`.execute(tx);
  const ids = systemGroupNames.map((group, index) => [group, rows[index]?.id]);
  return Object.fromEntries(ids) as Record<SystemGroupName, number>; // one id for each name
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

/** The server sends messages as these bots. Their addresses are in `.invalid`, a domain that never receives mail. */
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
