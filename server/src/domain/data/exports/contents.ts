/**
 * The contents of an export: one query per kind of data, whose rows are JSON texts. Every field is named here, so that a new
 * column of a table is not exported by accident: no passwords, no keys, no secrets of links. docs/export.md documents each
 * field.
 */
import { updateRealm } from "@skein/api/realm-settings.ts";
import { roles } from "@skein/api/users.ts";
import { sql, type RawBuilder } from "kysely";
import { chosenSpelling, spelledTopic } from "../../channels/topics/spelling.ts";
import { showsEarlierPlaces, showsEarlierTexts } from "../../messages/edits/history.ts";
import { channelPermissionNames } from "../../organization/permissions/channel-permissions.ts";
import { columnOf, realmPermissionNames } from "../../organization/permissions/realm-permissions.ts";
import { userGroupPermissionNames } from "../../organization/permissions/user-group-permissions.ts";
import { rolesSeeingAddress } from "../../people/users/email.ts";
import { isInScope, type Scope } from "./scope.ts";

export type JsonRows = RawBuilder<{ json: string }>;

export interface Kind {
  /** The name of its files. */
  name: string;
  rows: JsonRows;
}

/** The rows of a query, each as a JSON object. */
const objects = (query: RawBuilder<unknown>): JsonRows => sql`select to_jsonb(t)::text as json from (${query}) t`;

const columns = (alias: string, names: readonly string[]): RawBuilder<unknown> =>
  sql.raw(names.map((name) => `${alias}.${name}`).join(", "));

/** The parameters of `PATCH /realm` have the names of the columns; these have none. */
const withoutColumn = ["authentication_methods", "topics_policy", "gif_rating_policy"];
const realmColumns = [
  ...Object.keys(updateRealm.params).filter(
    (name) => !withoutColumn.includes(name) && !realmPermissionNames.some((permission) => permission === name),
  ),
  "giphy_rating",
  ...realmPermissionNames.map(columnOf),
];
const channelColumns = channelPermissionNames.map((name) => `${name}_id`);
const groupColumns = userGroupPermissionNames.map((name) => `${name}_id`);

const visibilities = [1, 2, 3, 4, 5];
/** An e-mail address that administrators cannot see is exported only if its owner consents. */
const seenByAdministrators = visibilities.filter((one) => rolesSeeingAddress(one).includes(roles.administrator));

/** Edits that nobody in the organization can look up are not exported either. */
const showsTexts = ({ editHistory }: Scope): RawBuilder<boolean> =>
  sql.lit(showsEarlierTexts({ message_edit_history_visibility_policy: editHistory }));
const showsMoves = ({ editHistory }: Scope): RawBuilder<boolean> =>
  sql.lit(showsEarlierPlaces({ message_edit_history_visibility_policy: editHistory }));

/** Everything except messages, which are too many for one query: see `messages()`. */
export function kinds(scope: Scope): Kind[] {
  const { realmId, consenting, whole, direct } = scope;
  const channels = [...whole, ...scope.protected];
  const isOwn = (alias: string) =>
    sql`${sql.ref(`${alias}.realm_id`)} = ${realmId} and ${sql.ref(`${alias}.user_id`)} = any(${consenting}::bigint[])`;
  const all: [string, RawBuilder<unknown>][] = [
    [
      "organization",
      sql`select r.id, r.string_id, r.host, r.date_created, r.icon_key is not null as has_icon,
        r.logo_key is not null as has_logo, r.night_logo_key is not null as has_night_logo,
        r.user_settings_defaults, ${columns("r", realmColumns)} from realms r where r.id = ${realmId}`,
    ],
    [
      "users",
      sql`select u.id, u.full_name, u.role, u.is_active, u.is_bot, u.is_system_bot, u.bot_type, u.bot_owner_id,
        u.date_joined, u.timezone, u.avatar_source, u.email_address_visibility,
        case when u.is_bot or u.email_address_visibility = any(${seenByAdministrators}::integer[])
          or u.id = any(${consenting}::bigint[]) then u.delivery_email end as delivery_email,
        u.id = any(${consenting}::bigint[]) as consented,
        case when u.id = any(${consenting}::bigint[]) then u.settings end as settings,
        (select coalesce(jsonb_agg(jsonb_build_object('field_id', v.field_id, 'value', v.value) order by v.field_id), '[]')
          from custom_profile_values v where v.user_id = u.id) as profile,
        (select jsonb_build_object('status_text', s.status_text, 'emoji_name', s.emoji_name, 'emoji_code', s.emoji_code,
          'reaction_type', s.reaction_type) from user_statuses s where s.user_id = u.id) as status
        from users u where u.realm_id = ${realmId} order by u.id`,
    ],
    [
      "user_groups",
      sql`select g.id, g.name, g.description, g.is_system, g.creator_id, g.date_created, g.deactivated,
        ${columns("g", groupColumns)},
        (select coalesce(jsonb_agg(m.user_id order by m.user_id), '[]')
          from user_group_members m where m.group_id = g.id) as members,
        (select coalesce(jsonb_agg(s.subgroup_id order by s.subgroup_id), '[]')
          from user_group_subgroups s where s.group_id = g.id) as subgroups
        from user_groups g where g.realm_id = ${realmId} order by g.id`,
    ],
    [
      "profile_fields",
      sql`select f.id, f.name, f.hint, f.field_type, f.field_data, f.position, f.display_in_profile_summary, f.required,
        f.editable_by_user, f.use_for_user_matching from custom_profile_fields f where f.realm_id = ${realmId} order by f.position, f.id`,
    ],
    [
      "domains",
      sql`select d.domain, d.allow_subdomains from realm_domains d where d.realm_id = ${realmId} order by d.id`,
    ],
    [
      "linkifiers",
      sql`select l.id, l.pattern, l.url_template from realm_linkifiers l where l.realm_id = ${realmId}
        order by l.position, l.id`,
    ],
    [
      "playgrounds",
      sql`select p.id, p.name, p.pygments_language, p.url_template from realm_playgrounds p
        where p.realm_id = ${realmId} order by p.id`,
    ],
    [
      "emoji",
      sql`select e.id, e.name, e.author_id, e.deactivated, e.date_created, e.file_name, e.still_file_name
        from custom_emoji e where e.realm_id = ${realmId} order by e.id`,
    ],
    [
      "channels",
      sql`select c.id, c.name, c.description, c.date_created, c.creator_id, c.invite_only, c.is_web_public,
        c.history_public_to_subscribers, c.is_archived, c.is_default, c.message_retention_days, c.topics_policy,
        c.folder_id,
        ${columns("c", channelColumns)} from channels c
        where c.realm_id = ${realmId} and c.id = any(${channels}::bigint[]) order by c.id`,
    ],
    [
      "channel_folders",
      sql`select f.id, f.name, f.description, f.date_created, f.creator_id, f.is_archived, f.position
        from channel_folders f where f.realm_id = ${realmId} order by f.id`,
    ],
    [
      "default_channel_groups",
      sql`select g.id, g.name, g.description,
        (select coalesce(jsonb_agg(m.channel_id order by m.channel_id), '[]')
          from default_channel_group_channels m
          where m.group_id = g.id and m.channel_id = any(${channels}::bigint[])) as channels
        from default_channel_groups g where g.realm_id = ${realmId} order by g.id`,
    ],
    [
      "topics",
      sql`select t.id, t.channel_id, t.name,
        (select coalesce(jsonb_agg(jsonb_build_object('user_id', e.user_id, 'edited_at', e.edited_at, 'prev_topic',
          e.prev_topic, 'topic', e.topic, 'up_to_id', e.up_to_id) order by e.id), '[]')
          from topic_edits e where e.topic_id = t.id and ${showsMoves(scope)}) as edits
        from topics t where t.realm_id = ${realmId} and t.channel_id = any(${whole}::bigint[]) order by t.id`,
    ],
    [
      "subscriptions",
      sql`select s.user_id, s.channel_id, s.active,
        case when s.user_id = any(${consenting}::bigint[]) then jsonb_build_object('color', s.color, 'is_muted', s.is_muted,
          'pin_to_top', s.pin_to_top, 'desktop_notifications', s.desktop_notifications, 'audible_notifications',
          s.audible_notifications, 'push_notifications', s.push_notifications, 'email_notifications',
          s.email_notifications, 'wildcard_mentions_notify', s.wildcard_mentions_notify, 'received', s.received::text,
          'read', s.read::text) end as personal
        from subscriptions s where s.realm_id = ${realmId} and s.channel_id = any(${channels}::bigint[])`,
    ],
    [
      "direct_conversations",
      sql`select p.conversation_id as id, jsonb_agg(p.user_id order by p.user_id) as user_ids from participations p
        where p.conversation_id = any(${direct}::bigint[]) group by p.conversation_id`,
    ],
    [
      "attachments",
      sql`select a.id, a.owner_id, a.file_name, a.size, a.content_type, a.created_at, 'files/uploads/' || a.path_id as file
        from attachments a where a.realm_id = ${realmId} and (a.owner_id = any(${consenting}::bigint[]) or exists (
          select from attachment_messages am join messages m on m.id = am.message_id
          where am.attachment_id = a.id and ${isInScope(scope)})) order by a.id`,
    ],
    ["alert_words", sql`select w.user_id, w.word from alert_words w where ${isOwn("w")}`],
    [
      "drafts",
      sql`select d.id, d.user_id, d.type, d.recipients, d.topic, d.content, d.edited_at from drafts d where ${isOwn("d")}`,
    ],
    [
      "saved_snippets",
      sql`select s.id, s.user_id, s.title, s.content, s.date_created from saved_snippets s where ${isOwn("s")}`,
    ],
    [
      "scheduled_messages",
      sql`select s.id, s.sender_id, s.channel_id, s.topic, s.user_ids, s.content, s.deliver_at, s.failed
        from scheduled_messages s where s.realm_id = ${realmId} and s.sender_id = any(${consenting}::bigint[])`,
    ],
    [
      "muted_users",
      sql`select m.user_id, m.muted_user_id, m.muted_at from muted_users m where ${isOwn("m")} and m.muted_at is not null`,
    ],
    [
      "user_topics",
      sql`select ut.user_id, ut.topic_id, ${sql.raw(chosenSpelling)} as topic, ut.visibility_policy, ut.last_updated
        from user_topics ut join topics t on t.id = ut.topic_id where ${isOwn("ut")}`,
    ],
    [
      "message_flags",
      sql`select f.user_id, f.message_id, f.starred, f.collapsed, f.mentioned, f.topic_wildcard_mentioned,
        f.has_alert_word from message_flags f where ${isOwn("f")}`,
    ],
    [
      "read_direct_messages",
      sql`select p.user_id, p.conversation_id, p.read::text as read from participations p where ${isOwn("p")}`,
    ],
  ];
  return all.map(([name, query]) => ({ name, rows: objects(query) }));
}

/** The messages of some conversations, each with its edits, reactions, submessages and attachments. */
export const messages = (scope: Scope, conversations: number[]): JsonRows =>
  objects(sql`
    select m.id, m.sender_id, m.date_sent, m.content, m.rendered_content, m.is_me_message,
      (select cl.name from clients cl where cl.id = m.client_id) as client,
      m.conversation_id, m.topic_id is not null as is_channel_message, m.topic_id,
      (select ${sql.raw(spelledTopic)} from topics t where t.id = m.topic_id) as topic,
      (select coalesce(jsonb_agg(jsonb_build_object('user_id', e.user_id, 'edited_at', e.edited_at,
        'prev_content', case when ${showsTexts(scope)} then e.prev_content end, 'prev_topic', e.prev_topic, 'topic', e.topic,
        'prev_channel_id', e.prev_channel_id, 'channel_id', e.channel_id) order by e.id), '[]')
        from message_edits e where e.message_id = m.id and ${showsMoves(scope)}
          and (${showsTexts(scope)} or e.prev_topic is not null or e.prev_channel_id is not null)) as edits,
      (select coalesce(jsonb_agg(jsonb_build_object('user_id', x.user_id, 'reaction_type', x.reaction_type, 'emoji_code',
        x.emoji_code, 'emoji_name', x.emoji_name) order by x.id), '[]') from reactions x where x.message_id = m.id) as reactions,
      (select coalesce(jsonb_agg(jsonb_build_object('sender_id', b.sender_id, 'msg_type', b.msg_type, 'content',
        b.content) order by b.id), '[]') from submessages b where b.message_id = m.id) as submessages,
      (select coalesce(jsonb_agg(am.attachment_id order by am.attachment_id), '[]')
        from attachment_messages am where am.message_id = m.id) as attachments
    from messages m
    where m.conversation_id = any(${conversations}::bigint[]) and ${isInScope(scope)}
    order by m.conversation_id, m.id`);
