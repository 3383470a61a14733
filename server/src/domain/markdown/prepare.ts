/**
 * What a text of this user's is rendered with: the organization's settings and linkifiers, and whatever the text refers
 * to, as far as the user may see it. A text that refers to nothing costs no question to the database.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { LinkableChannel, MarkdownContext, MentionableGroup, MentionableUser } from "../../markdown/context.ts";
import type { CompiledLinkifier } from "../../markdown/linkifier.ts";
import { findReferences, type References } from "../../markdown/references.ts";
import type { Db } from "../../platform/db/connect.ts";
import { hasContentAccess } from "../channels/access.ts";
import { compileLinkifier } from "../linkifiers/compile.ts";
import { listLinkifiers } from "../linkifiers/queries.ts";
import { realmUrl } from "../realm/address.ts";
import { settingOf } from "../settings/state.ts";
import { codeHighlighter } from "./highlight.ts";
import { mathRenderer } from "./math.ts";

/** `origin` is the address the client used. */
export async function prepareMarkdown(
  ctx: Context,
  user: User,
  origin: string,
  text: string,
): Promise<MarkdownContext> {
  const { realm } = user;
  return {
    realmUrl: realmUrl(ctx.config, realm, origin),
    realmId: realm.id,
    linkifiers: await linkifiersOf(ctx.db, realm),
    translateEmoticons: settingOf(user, "translate_emoticons"),
    sentByBot: user.is_bot,
    defaultCodeBlockLanguage: realm.default_code_block_language,
    // An external image shown as it stands would tell its host who reads; there is no proxy yet.
    inlineImagePreview: false,
    // Each has a budget for one text.
    highlight: codeHighlighter(),
    renderMath: mathRenderer(),
    ...(await fetchReferences(ctx.db, user, findReferences(text))),
  };
}

const remembered = new WeakMap<Db, Map<number, { version: number; linkifiers: CompiledLinkifier[] }>>();

/** Compiled once for each version of the organization, which every change of them raises. */
async function linkifiersOf(db: Db, realm: Realm): Promise<CompiledLinkifier[]> {
  const byRealm = remembered.get(db) ?? new Map<number, { version: number; linkifiers: CompiledLinkifier[] }>();
  remembered.set(db, byRealm);
  const known = byRealm.get(realm.id);
  if (known?.version === realm.version) return known.linkifiers;
  const linkifiers = (await listLinkifiers(db, realm.id)).map(compileLinkifier);
  byRealm.set(realm.id, { version: realm.version, linkifiers });
  return linkifiers;
}

async function fetchReferences(db: Db, user: User, references: References) {
  return {
    ...(references.users.length > 0 ? { users: await fetchUsers(db, user, references) } : {}),
    ...(references.groupNames.length > 0 ? { groups: await fetchGroups(db, user, references.groupNames) } : {}),
    ...(references.channelNames.length > 0 ? { channels: await fetchChannels(db, user, references) } : {}),
  };
}

async function fetchUsers(db: Db, user: User, { users }: References): Promise<MentionableUser[]> {
  const names = users.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const ids = users.flatMap(({ id }) => (id === undefined || !Number.isSafeInteger(id) ? [] : [id]));
  const { rows } = await sql<MentionableUser>`
    select id as user_id, full_name, is_active from users
    where realm_id = ${user.realm_id}
      and (lower(full_name) in (select lower(name) from unnest(${names}::text[]) as name) or id = any(${ids}::bigint[]))
    order by id`.execute(db);
  return rows;
}

async function fetchGroups(db: Db, user: User, names: string[]): Promise<MentionableGroup[]> {
  const { rows } = await sql<MentionableGroup>`
    select id, name, deactivated, is_system as is_system_group from user_groups
    where realm_id = ${user.realm_id} and lower(name) in (select lower(n) from unnest(${names}::text[]) as n)
      and name = any(${names}::text[])`.execute(db);
  return rows;
}

/** Only channels whose content the user may read, and of their topics only messages the user may read. */
async function fetchChannels(db: Db, user: User, { channelNames, topics }: References): Promise<LinkableChannel[]> {
  const { rows } = await sql<{ stream_id: number; name: string; topics: [string, number][] | null }>`
    select c.id as stream_id, c.name, (
      select json_agg(json_build_array(wanted.topic, oldest.id))
      from unnest(${topics.map((topic) => topic.channelName)}::text[], ${topics.map((topic) => topic.topic)}::text[])
        as wanted (channel, topic)
        join topics t on t.channel_id = c.id and lower(t.name) = lower(wanted.topic)
        cross join lateral (
          select m.id from messages m
          where m.topic_id = t.id and (c.history_public_to_subscribers or m.id <@ s.received)
          order by m.id limit 1) as oldest
      where wanted.channel = c.name) as topics
    from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id}
      and lower(c.name) in (select lower(n) from unnest(${channelNames}::text[]) as n)
      and c.name = any(${channelNames}::text[]) and ${hasContentAccess(user, "c", "s")}`.execute(db);
  return rows.map(({ topics: found, ...channel }) => ({ ...channel, topics: new Map(found) }));
}
