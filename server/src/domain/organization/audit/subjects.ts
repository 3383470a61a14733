/**
 * What the audit log shows of the objects that administrators change: names, roles, settings and permissions, and never a
 * secret. A column is shown because it is listed here.
 */
import type { AuditTarget } from "@skein/api/audit-log.ts";
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import {
  channelPermissionNames,
  channelPermissionRule,
  type ChannelPermission,
} from "../permissions/channel-permissions.ts";
import { columnOf, realmPermissionNames } from "../permissions/realm-permissions.ts";
import { userGroupPermissionNames } from "../permissions/user-group-permissions.ts";

export type Fields = Record<string, unknown>;

interface Subject {
  table: string;
  /** SQL expressions for the row `t`, by the names of the fields. */
  fields: Record<string, string>;
}

const columns = (names: string): Record<string, string> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, `t.${name}`]));

/** The value of a permission: the id of a named group, or the members of an unnamed one. */
const permission = (group: string): string => `(
  select case when g.name is not null then to_jsonb(g.id) else jsonb_build_object(
    'direct_members', (select coalesce(jsonb_agg(m.user_id order by m.user_id), '[]') from user_group_members m where m.group_id = g.id),
    'direct_subgroups', (select coalesce(jsonb_agg(s.subgroup_id order by s.subgroup_id), '[]') from user_group_subgroups s where s.group_id = g.id)) end
  from user_groups g where g.id = ${group})`;

const permissions = (names: readonly string[], column: (name: string) => string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, permission(`t.${column(name)}`)]));

/** A null column stands for the default. */
const channelPermission = (name: ChannelPermission): string =>
  permission(`coalesce(t.${name}_id, (select d.id from user_groups d
    where d.realm_id = t.realm_id and d.is_system and d.name = '${channelPermissionRule(name).default}'))`);

const person = {
  email: "t.delivery_email",
  ...columns("full_name role is_active can_create_users can_change_user_emails avatar_version"),
};

export const subjects = {
  user: {
    table: "users",
    fields: {
      ...person,
      profile_data: `(select jsonb_object_agg(v.field_id, v.value) from custom_profile_values v where v.user_id = t.id)`,
      ...Object.fromEntries(
        ["user_name", "external_id", "attributes", "deleted_at"].map((name) => [
          `scim_${name}`,
          `(select s.${name} from scim_users s where s.user_id = t.id)`,
        ]),
      ),
    },
  },
  bot: {
    table: "users",
    fields: {
      ...person,
      ...columns("bot_type"),
      owner_id: "t.bot_owner_id",
      default_sending_channel_id: "(select b.default_sending_channel_id from bots b where b.user_id = t.id)",
      default_events_register_channel_id:
        "(select b.default_events_register_channel_id from bots b where b.user_id = t.id)",
      default_all_public_channels: "(select b.default_all_public_channels from bots b where b.user_id = t.id)",
    },
  },
  user_group: {
    table: "user_groups",
    fields: {
      ...columns("name description deactivated managed_by"),
      scim_external_id: "(select s.external_id from scim_groups s where s.group_id = t.id)",
      members:
        "(select coalesce(jsonb_agg(m.user_id order by m.user_id), '[]') from user_group_members m where m.group_id = t.id)",
      subgroups:
        "(select coalesce(jsonb_agg(s.subgroup_id order by s.subgroup_id), '[]') from user_group_subgroups s where s.group_id = t.id)",
      ...permissions(userGroupPermissionNames, (name) => `${name}_id`),
    },
  },
  channel: {
    table: "channels",
    fields: {
      ...columns(
        "name description is_web_public history_public_to_subscribers is_archived is_default message_retention_days " +
          "topics_policy folder_id",
      ),
      is_private: "t.invite_only",
      ...Object.fromEntries(channelPermissionNames.map((name) => [name, channelPermission(name)])),
    },
  },
  realm: {
    table: "realms",
    fields: {
      ...columns(
        "name string_id host description deactivated allow_message_editing avatar_changes_disabled default_avatar_source default_code_block_language default_language " +
          "digest_emails_enabled digest_weekday disallow_disposable_email_addresses email_changes_disabled emails_restricted_to_domains " +
          "enable_guest_user_dm_warning enable_guest_user_indicator enable_read_receipts enable_spectator_access giphy_rating " +
          "icon_source icon_version inline_image_preview inline_url_embed_preview invite_required jitsi_server_url logo_source logo_version " +
          "mandatory_topics message_content_allowed_in_email_notifications message_content_delete_limit_seconds " +
          "message_content_edit_limit_seconds message_edit_history_visibility_policy message_retention_days moderation_request_channel_id " +
          "move_messages_between_streams_limit_seconds move_messages_within_stream_limit_seconds name_changes_disabled " +
          "new_stream_announcements_stream_id night_logo_source night_logo_version org_type presence_disabled require_e2ee_push_notifications require_unique_names " +
          "send_channel_events_messages send_welcome_emails signup_announcements_stream_id video_chat_provider waiting_period_threshold " +
          "want_advertise_in_communities_directory welcome_message_custom_text zulip_update_announcements_stream_id search_language api_key_max_days " +
          "second_factor_required_for",
      ),
      ...permissions(realmPermissionNames, (name) => columnOf(name as (typeof realmPermissionNames)[number])),
    },
  },
  realm_domain: { table: "realm_domains", fields: columns("domain allow_subdomains") },
  identity_provider: {
    table: "identity_providers",
    fields: {
      ...columns(
        "kind key name issuer client_id scopes allowed_domains creates_accounts groups_claim group_map is_enabled settings",
      ),
      has_client_secret: "t.sealed_client_secret <> ''",
      is_only: "(select r.only_identity_provider_id is not distinct from t.id from realms r where r.id = t.realm_id)",
    },
  },
  profile_field: {
    table: "custom_profile_fields",
    fields: columns(
      "name hint field_type field_data display_in_profile_summary use_for_user_matching required editable_by_user",
    ),
  },
  linkifier: { table: "realm_linkifiers", fields: columns("pattern url_template") },
  playground: { table: "realm_playgrounds", fields: columns("name pygments_language url_template") },
  audit_destination: { table: "audit_destinations", fields: columns("url is_enabled") },
  emoji: { table: "custom_emoji", fields: columns("name author_id deactivated") },
  default_channel_group: {
    table: "default_channel_groups",
    fields: {
      ...columns("name description"),
      channels:
        "(select coalesce(jsonb_agg(c.channel_id order by c.channel_id), '[]') from default_channel_group_channels c where c.group_id = t.id)",
    },
  },
  channel_folder: { table: "channel_folders", fields: columns("name description is_archived") },
  export: { table: "realm_exports", fields: { export_type: "t.export_type", deleted: "t.deleted_at is not null" } },
  import: { table: "realm_imports", fields: columns("file_name size state plan_revision unthreaded") },
  message: { table: "messages", fields: columns("sender_id") },
} as const satisfies Partial<Record<AuditTarget, Subject>>;
export type SubjectKind = keyof typeof subjects;

/** The fields of an object; undefined if it does not exist. */
export async function loadFields(tx: Tx, realmId: number, kind: SubjectKind, id: number): Promise<Fields | undefined> {
  const { table, fields }: Subject = subjects[kind];
  // All of it is constant: see above.
  const pairs = Object.entries(fields).map(([name, expression]) => sql.raw(`'${name}', ${expression}`));
  const parts: RawBuilder<unknown>[] = [];
  // A function takes up to 100 arguments.
  for (let at = 0; at < pairs.length; at += 40)
    parts.push(sql`jsonb_build_object(${sql.join(pairs.slice(at, at + 40))})`);
  const whole = sql.join(parts, sql` || `);
  const inRealm = kind === "realm" ? sql`t.id = ${realmId}` : sql`t.realm_id = ${realmId}`;
  const { rows } = await sql<{ fields: Fields }>`
    select ${whole} as fields from ${sql.table(table)} t where ${inRealm} and t.id = ${id}`.execute(tx);
  return rows[0]?.fields;
}
