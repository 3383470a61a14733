/**
 * Every permission that is set to a group, with its default and its allowed values. The creation of an organization, the
 * fields of the registration response and the rules in it are derived from this table.
 */
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import type { RegistrationState } from "@skein/api/registration.ts";
import type { Realm } from "../../../identity/account.ts";
import { channelPermissions } from "./channel-permissions.ts";
import type { SettingRule } from "./group-settings.ts";
import type { SystemGroupName } from "./system-groups.ts";
import { systemGroupPermission, userGroupPermissions } from "./user-group-permissions.ts";

interface PermissionRule<Default extends string = string> extends SettingRule {
  default: Default;
}

type Choice = Partial<SettingRule>;

const rule = <Default extends string>(fallback: Default, choice: Choice = {}): PermissionRule<Default> => ({
  default: fallback,
  nobody: true,
  everyone: false,
  ...choice,
});

const everyone = { everyone: true };

/** Permissions in the organization as a whole. The column of `realms` is the name with the suffix `_id`. */
export const realmPermissions = {
  can_access_all_users_group: rule("role:everyone", {
    nobody: false,
    everyone: true,
    only: ["role:everyone", "role:members"],
  }),
  can_add_custom_emoji_group: rule("role:members"),
  can_add_subscribers_group: rule("role:members"),
  can_create_bots_group: rule("role:members"),
  can_create_groups: rule("role:members"),
  can_create_private_channel_group: rule("role:members"),
  can_create_public_channel_group: rule("role:members"),
  can_create_web_public_channel_group: rule("role:owners", {
    only: ["role:moderators", "role:administrators", "role:owners", "role:nobody"],
  }),
  can_create_write_only_bots_group: rule("role:members"),
  can_delete_any_message_group: rule("role:administrators"),
  can_delete_own_message_group: rule("role:everyone", everyone),
  can_invite_users_group: rule("role:members"),
  can_manage_all_groups: rule("role:owners", { nobody: false }),
  can_manage_billing_group: rule("role:administrators", { nobody: false }),
  can_mention_many_users_group: rule("role:administrators", everyone),
  can_move_messages_between_channels_group: rule("role:members"),
  can_move_messages_between_topics_group: rule("role:everyone", everyone),
  can_resolve_topics_group: rule("role:everyone", everyone),
  can_set_delete_message_policy_group: rule("role:moderators"),
  can_set_topics_policy_group: rule("role:members", everyone),
  can_summarize_topics_group: rule("role:everyone", everyone),
  create_multiuse_invite_group: rule("role:administrators"),
  direct_message_initiator_group: rule("role:everyone", everyone),
  direct_message_permission_group: rule("role:everyone", everyone),
};

export type RealmPermission = keyof typeof realmPermissions;
export type RealmPermissionColumn = `${RealmPermission}_id`;

// Object.keys knows only strings; these are the keys of the table above.
export const realmPermissionNames = Object.keys(realmPermissions) as RealmPermission[];

export const columnOf = (permission: RealmPermission): RealmPermissionColumn => `${permission}_id`;

/** The group an organization's permission is set to. */
export function groupOf(realm: Realm, permission: RealmPermission): number {
  const id = realm[columnOf(permission)];
  // Those that the previous release does not know are null until its transaction ends: see 0050-channel-permissions.sql.
  if (id === null) throw new Error(`the organization ${realm.id} has no group for ${permission}`);
  return id;
}

type PermissionFields = Required<Pick<RegistrationState, `realm_${RealmPermission}`>>;

/** The permissions as fields of the registration response. */
export function realmPermissionFields(realm: Realm, values: ReadonlyMap<number, GroupSettingValue>): PermissionFields {
  const fields = realmPermissionNames.map((name) => {
    const group = groupOf(realm, name);
    return [`realm_${name}`, values.get(group) ?? group];
  });
  return Object.fromEntries(fields) as PermissionFields; // one entry for each name of the table
}

/** The allowed values of each permission, as reported to clients. */
export const supportedPermissionSettings: NonNullable<RegistrationState["server_supported_permission_settings"]> = {
  realm: supported(realmPermissions, null),
  stream: supported(channelPermissions, null),
  group: supported(userGroupPermissions, systemGroupPermission),
};

function supported(rules: Record<string, PermissionRule>, forSystemGroups: SystemGroupName | null) {
  return Object.fromEntries(
    Object.entries(rules).map(([name, declared]) => [
      name,
      {
        require_system_group: declared.only !== undefined,
        allow_internet_group: false,
        allow_nobody_group: declared.nobody,
        allow_everyone_group: declared.everyone,
        default_group_name: declared.default,
        default_for_system_groups: forSystemGroups,
        allowed_system_groups: [...(declared.only ?? [])],
      },
    ]),
  );
}
