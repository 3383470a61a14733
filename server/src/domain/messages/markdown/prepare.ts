/**
 * Collects what a user's text is rendered with: the organization's settings, linkifiers and emoji, and whatever the
 * text refers to, as far as the user may see it. A text without references needs no query.
 */
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { LinkableChannel, MarkdownContext, MentionableGroup, MentionableUser } from "../../../markdown/context.ts";
import { findReferences, type References } from "../../../markdown/references.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { hasContentAccess } from "../../channels/access.ts";
import { usableEmoji } from "../../organization/emoji/usable.ts";
import { ProcessorBudget } from "../../organization/linkifiers/budget.ts";
import { compiledLinkifiers } from "../../organization/linkifiers/compiled.ts";
import { hasProxy, signedProxyUrl } from "../previews/proxy-url.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { settingOf } from "../../people/settings/state.ts";
import { uploadsIn } from "../uploads/images-in-text.ts";
import { visibilityFor, type Seen } from "../../people/users/guest-view.ts";
import { codeHighlighter } from "./highlight.ts";
import { mathRenderer } from "./math.ts";
import { isInVisibleHistory } from "../access.ts";

/**
 * `origin` is the origin of the URL the client used; `db` may be a transaction, since the text may refer to its
 * changes.
 */
export async function prepareMarkdown(
  ctx: TxContext,
  db: Db,
  user: User,
  origin: string,
  text: string,
): Promise<MarkdownContext> {
  const { realm } = user;
  return {
    realmUrl: realmUrl(ctx.config, realm, origin),
    realmId: realm.id,
    linkifiers: await compiledLinkifiers(ctx, db, realm),
    realmEmoji: await usableEmoji(ctx, db, realm),
    translateEmoticons: settingOf(user, "translate_emoticons"),
    sentByBot: user.is_bot,
    defaultCodeBlockLanguage: realm.default_code_block_language,
    ...previewsOf(ctx, realm),
    ...(await uploadsIn(db, user, text)),
    // Each of these has a budget for one text.
    linkifierBudget: new ProcessorBudget(),
    highlight: codeHighlighter(),
    renderMath: mathRenderer(),
    ...(await fetchReferences(db, user, findReferences(text))),
  };
}

/**
 * An image loaded directly from its host would reveal the reader to that host, so without a proxy there are no
 * previews.
 */
function previewsOf({ config }: TxContext, realm: Realm) {
  if (!hasProxy(config)) return { inlineImagePreview: false };
  return {
    inlineImagePreview: realm.inline_image_preview,
    inlineUrlEmbedPreview: realm.inline_url_embed_preview,
    proxyUrl: (url: string) => signedProxyUrl(config, url),
  };
}

async function fetchReferences(db: Db, user: User, references: References) {
  return {
    ...(references.users.length > 0 ? { users: await fetchUsers(db, user, references) } : {}),
    ...(references.groupNames.length > 0 ? { groups: await fetchGroups(db, user, references.groupNames) } : {}),
    ...(references.channelNames.length > 0 ? { channels: await fetchChannels(db, user, references) } : {}),
  };
}

/** Only people the user can see: otherwise an id would reveal their name, and a name whether anybody has it. */
async function fetchUsers(db: Db, user: User, { users }: References): Promise<MentionableUser[]> {
  const names = users.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const ids = users.flatMap(({ id }) => (id === undefined || !Number.isSafeInteger(id) ? [] : [id]));
  const { rows } = await sql<MentionableUser & Seen>`
    select id, id as user_id, full_name, is_active, is_bot from users
    where realm_id = ${user.realm_id}
      and (lower(full_name) in (select lower(name) from unnest(${names}::text[]) as name) or id = any(${ids}::bigint[]))
    order by id`.execute(db);
  return rows.filter(await visibilityFor(db, user));
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
      select json_agg(json_build_array(wanted.topic, newest.id))
      from unnest(${topics.map((topic) => topic.channelName)}::text[], ${topics.map((topic) => topic.topic)}::text[])
        as wanted (channel, topic)
        join topics t on t.channel_id = c.id and lower(t.name) = lower(wanted.topic)
        cross join lateral (
          select m.id from messages m
          where m.topic_id = t.id and ${sql.raw(isInVisibleHistory)}
          order by m.id desc limit 1) as newest
      where wanted.channel = c.name) as topics
    from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id}
      and lower(c.name) in (select lower(n) from unnest(${channelNames}::text[]) as n)
      and c.name = any(${channelNames}::text[]) and ${hasContentAccess(user, "c", "s")}`.execute(db);
  return rows.map(({ topics: found, ...channel }) => ({ ...channel, topics: new Map(found) }));
}
