/** The current objects of an organization, for actions to choose from; always in the same order. */
import { sql } from "kysely";
import type { TestRealm } from "../realm.ts";

interface Named {
  id: number;
  name: string;
}

interface Own {
  id: number;
  user_id: number;
}

export interface Contents {
  people: { id: number; email: string; is_active: boolean; is_bot: boolean; role: number }[];
  channels: (Named & { is_archived: boolean })[];
  groups: (Named & { is_system: boolean })[];
  defaultGroups: Named[];
  folders: { id: number }[];
  topics: { channel: number; name: string }[];
  messages: { id: number; sender_id: number }[];
  linkifiers: { id: number }[];
  playgrounds: { id: number }[];
  profileFields: { id: number; type: number }[];
  domains: { domain: string }[];
  emoji: { name: string }[];
  invitations: { id: number }[];
  invitationLinks: { id: number }[];
  drafts: Own[];
  snippets: Own[];
  scheduled: Own[];
  reminders: Own[];
  views: { fragment: string; user_id: number }[];
  attachments: Own[];
  alertWords: { word: string; user_id: number }[];
  muted: { user_id: number; muted_user_id: number }[];
}

const newestMessages = 30;

export async function readContents(realm: TestRealm): Promise<Contents> {
  const list = (columns: string, source: string, order = "id", condition = "true") =>
    sql.raw(`(select coalesce(jsonb_agg(l), '[]') from
      (select ${columns} from ${source} where realm_id = ${realm.id} and ${condition} order by ${order}) l)`);
  const { rows } = await sql<Contents>`
    select
      ${list("id, delivery_email as email, is_active, is_bot, role", "users", "id", "not is_system_bot")} as people,
      ${list("id, name, is_archived", "channels")} as channels,
      ${list("id, name, is_system", "user_groups", "id", "name is not null")} as groups,
      ${list("id, name", "default_channel_groups")} as "defaultGroups",
      ${list("id", "channel_folders")} as folders,
      ${list("channel_id as channel, name", "topics", "channel_id, lower(name)")} as topics,
      ${list("id, sender_id", "messages", `id desc limit ${newestMessages}`)} as messages,
      ${list("id", "realm_linkifiers")} as linkifiers,
      ${list("id", "realm_playgrounds")} as playgrounds,
      ${list("id, field_type as type", "custom_profile_fields")} as "profileFields",
      ${list("domain", "realm_domains", "domain")} as domains,
      ${list("name", "custom_emoji", "id")} as emoji,
      ${list("id", "invitations")} as invitations,
      ${list("id", "invitation_links")} as "invitationLinks",
      ${list("id, user_id", "drafts")} as drafts,
      ${list("id, user_id", "saved_snippets")} as snippets,
      ${list("id, sender_id as user_id", "scheduled_messages")} as scheduled,
      ${list("id, user_id", "reminders")} as reminders,
      ${list("fragment, user_id", "navigation_views")} as views,
      ${list("id, owner_id as user_id", "attachments")} as attachments,
      ${list("word, user_id", "alert_words", "user_id, word")} as "alertWords",
      ${list("user_id, muted_user_id", "muted_users", "user_id, muted_user_id")} as muted`.execute(realm.ctx.db);
  const [row] = rows;
  if (!row) throw new Error("unreachable: a select without a table has one row");
  return row;
}
