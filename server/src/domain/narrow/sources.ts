/**
 * Where the messages of a narrow are looked for: indexes that give ids in order, so that a page costs what a page holds
 * and not what there is. A source may give more than the narrow means, never less; the conditions decide.
 *
 * Most narrows are about many places at once: the combined feed about every channel of the reader. Each place has its
 * newest message first in its index. Of the places those with the newest messages are kept, as many as the page is long,
 * and the oldest of these newest messages is the furthest the page can reach. So however many places there are, and
 * however long they have been talked in, only what is near the page is read.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { contentAccessSql } from "../channels/access.ts";
import { flagsJoin } from "../flags/rules.ts";
import { asker, readerJoins } from "../messages/access.ts";

/** Past every id. */
const beyond = "9223372036854775807";

/** Ids in one column's index, in places `(key, low, high)`: from `low` to before `high`. */
export interface Places {
  by: "conversation_id" | "topic_id" | "sender_id" | "origin_id";
  places: string;
  /** What else holds for messages found here. */
  only?: string;
}

/** Ids that are listed. */
export interface Listed {
  /** SQL for rows `(id)`. */
  ids: string;
}

/** Ids of messages on which the reader has something. */
export interface Flagged {
  /** SQL for the reader's row `own` in message_flags. */
  flagged: string;
}

/** The nearest messages of all, so many of them; and only when these are not enough, where they surely are. */
export interface Tried {
  lookingAt: (limit: string) => string;
  otherwise: Listed | Places[];
}

export type Source = Places | Listed | Flagged | Tried;

export interface Search {
  sources: Source[];
  /** What holds for a message that is meant. */
  conditions: string[];
}

export type Direction = "before" | "after";

const joins = `${readerJoins(asker)} ${flagsJoin(asker)} left join topics t on t.id = m.topic_id`;

/**
 * A query for the ids nearest to a bound, at most `limit`, the bound included. Bound and limit are SQL.
 */
export function nearest(search: Search, direction: Direction, bound: string, limit: string): string {
  const order = direction === "before" ? "desc" : "asc";
  const where = [`m.realm_id = ${asker.realm}`, ...search.conditions].join("\n        and ");
  const inPlaces = search.sources.filter((source) => "by" in source);
  const parts = [
    ...search.sources.flatMap((source) => ("by" in source ? [] : nearestOf(source, where, direction, bound, limit))),
    ...(inPlaces.length > 0 ? [nearestInPlaces(inPlaces, where, direction, bound, limit)] : []),
  ];
  return `select id from (${parts.map((part) => `(${part})`).join(" union ")}) as found order by id ${order} limit ${limit}`;
}

function nearestOf(
  source: Listed | Flagged | Tried,
  where: string,
  direction: Direction,
  bound: string,
  limit: string,
): string {
  const [sign, order] = direction === "before" ? ["<=", "desc"] : [">=", "asc"];
  if ("flagged" in source)
    return `select m.id from message_flags own join messages m on m.id = own.message_id ${joins}
      where own.user_id = ${asker.id} and ${source.flagged} and own.message_id ${sign} ${bound} and ${where}
      order by own.message_id ${order} limit ${limit}`;
  // In their order, one after the other, until there are enough.
  const first = (ids: string) => `select listed.id from (${ids}) as listed
        cross join lateral (select from messages m ${joins} where m.id = listed.id and ${where} limit 1) as meant
      order by listed.id ${order} limit ${limit}`;
  // Nothing of the bound may reach the list: an index would be asked for half of all ids.
  const listed = ({ ids }: Listed) =>
    first(`select id from (${ids} offset 0) as named where id ${sign} ${bound} order by id ${order}`);
  if ("ids" in source) return listed(source);
  const { otherwise } = source;
  const lookingAt = source.lookingAt(limit);
  const all = `from messages where id ${sign} ${bound} order by id ${order}`;
  return `with near as materialized (
      select m.id from (select * ${all} limit ${lookingAt}) as m ${joins} where ${where}
      order by m.id ${order} limit ${limit})
    select id from near
    union
    select id from (
      ${Array.isArray(otherwise) ? nearestInPlaces(otherwise, where, direction, bound, limit) : listed(otherwise)}) as far
    where case when (select count(*) from near) < ${limit} then exists (select ${all} offset ${lookingAt}) else false end`;
}

function nearestInPlaces(sources: Places[], where: string, direction: Direction, bound: string, limit: string): string {
  const order = direction === "before" ? "desc" : "asc";
  const [outermost, extreme] =
    direction === "before" ? ["min", { low: "reach.edge", high: bound }] : ["max", { low: bound, high: "reach.edge" }];
  const first = sources.map(
    (source, n) => `select ${n} as n, place.key, place.low, place.high, head.id
      from (${source.places}) as place
        cross join lateral (
          ${inPlace(source, where, direction, direction === "before" ? { high: bound } : { low: bound }, "1")}) as head`,
  );
  const rest = sources.map(
    (source, n) => `select found.id from heads place cross join reach
        cross join lateral (${inPlace(source, where, direction, extreme, limit)}) as found where place.n = ${n}`,
  );
  const none = direction === "before" ? "0" : beyond;
  return `with heads as materialized (
      select * from (${first.join("\n      union all ")}) as head order by id ${order} limit ${limit}),
    reach as materialized (
      select case when count(*) < ${limit} then ${none} else ${outermost}(id) end as edge from heads)
    ${rest.join("\n    union all ")}
    order by id ${order} limit ${limit}`;
}

/**
 * The index is asked for a stretch of itself, from one pair of key and id to another. Asked for the key and for an order
 * of ids, the planner may prefer to walk along all messages there are.
 */
function inPlace(
  { by, only }: Places,
  where: string,
  direction: Direction,
  within: { low?: string; high?: string },
  limit: string,
): string {
  const order = direction === "before" ? "desc" : "asc";
  const low = within.low === undefined ? "place.low" : `greatest(place.low, ${within.low})`;
  const high = within.high === undefined ? "place.high - 1" : `least(place.high - 1, ${within.high})`;
  return `select m.id from messages m ${joins}
          where m.${by} is not null and (m.${by}, m.id) >= (place.key, ${low}) and (m.${by}, m.id) <= (place.key, ${high})
        ${only === undefined ? "" : `and ${only} `}and ${where}
          order by m.${by} ${order}, m.id ${order} limit ${limit}`;
}

/** One place: everything under a key. */
export const wholePlace = (key: string): string => `select ${key} as key, 0::bigint as low, ${beyond} as high`;

const stretches = (key: string, ids: string, from: string): string =>
  `select ${key} as key, lower(stretch.ids) as low, coalesce(upper(stretch.ids), ${beyond}) as high
      from ${from} cross join lateral unnest(${ids}) as stretch (ids)`;

/** Channels that were open to the reader and are; what was sent there meanwhile. */
const receivedInChannels = `${stretches("s.channel_id", "s.received", "subscriptions s join channels c on c.id = s.channel_id")}
      where s.user_id = ${asker.id} and ${contentAccessSql({ channel: "c", subscription: "s", reader: asker })}`;

/** Of moved messages the channel they were sent to tells who received them. */
const receivedElsewhere = `${stretches("s.channel_id", "s.received", "subscriptions s")} where s.user_id = ${asker.id}`;

const conversations = (also: string): string => `select p.conversation_id as key, 0::bigint as low, ${beyond} as high
      from participations p where p.user_id = ${asker.id}${also}`;

const unreadInChannels = (also: string): string =>
  `${stretches("s.channel_id", "s.received - s.read", "subscriptions s")}
      where s.user_id = ${asker.id} and s.active${also}`;

const unreadElsewhere = `${stretches("s.channel_id", "s.received - s.read", "subscriptions s")} where s.user_id = ${asker.id}`;

const unreadInConversations = (also: string): string =>
  `${stretches("p.conversation_id", "'{[0,)}'::int8multirange - p.read", "participations p")}
      where p.user_id = ${asker.id}${also}`;

const stayed = "m.origin_id is null";

/**
 * Who is in most channels of a small organization finds a page among the next few messages there are; that is worth a
 * look before all the channels are asked.
 */
export const firstNearby = (otherwise: Places[]): Tried => ({ lookingAt: (limit) => `3 * ${limit}`, otherwise });

/** All that the reader was sent. */
export const receivedMessages: Source[] = [
  firstNearby([
    { by: "conversation_id", places: `${receivedInChannels} union all ${conversations("")}`, only: stayed },
    { by: "origin_id", places: receivedElsewhere },
  ]),
];

/** Direct conversations; `also` restricts `p`. */
export const directMessages = (also = ""): Source[] => [{ by: "conversation_id", places: conversations(also) }];

/** Whatever is unread, or what of it is in a conversation. */
export const unreadMessages = (conversation?: string): Source[] => [
  {
    by: "conversation_id",
    places:
      conversation === undefined
        ? `${unreadInChannels("")} union all ${unreadInConversations("")}`
        : `${unreadInChannels(` and s.channel_id = ${conversation}`)}
          union all ${unreadInConversations(` and p.conversation_id = ${conversation}`)}`,
    only: stayed,
  },
  { by: "origin_id", places: unreadElsewhere },
];

/** What is unread in a topic. */
export const unreadInTopic = (topic: string): Source[] => [
  {
    by: "topic_id",
    places: `${stretches(
      "about.id",
      "s.received - s.read",
      `topics about
        join subscriptions s on s.channel_id = about.channel_id and s.user_id = ${asker.id} and s.active`,
    )}
      where about.id = ${topic}`,
    only: stayed,
  },
  { by: "origin_id", places: unreadElsewhere },
];

export const inConversation = (conversation: string): Source[] => [
  { by: "conversation_id", places: wholePlace(conversation) },
];

export const inTopic = (topic: string): Source[] => [{ by: "topic_id", places: wholePlace(topic) }];

/** Topics that are rows `about` of the table. */
export const inTopics = (where: string): Source[] => [
  {
    by: "topic_id",
    places: `select about.id as key, 0::bigint as low, ${beyond} as high from topics about where ${where}`,
  },
];

export const sentBy = (user: string): Source[] => [{ by: "sender_id", places: wholePlace(user) }];

/** Channels that are rows `c`, and open to the reader. */
export const inChannels = (where: string): Places[] => [
  {
    by: "conversation_id",
    places: `select c.id as key, 0::bigint as low, ${beyond} as high from channels c
        left join subscriptions s on s.channel_id = c.id and s.user_id = ${asker.id}
      where c.realm_id = ${asker.realm} and ${where}
        and ${contentAccessSql({ channel: "c", subscription: "s", reader: asker })}`,
  },
];

/** Channels the reader has muted, and muted topics of the others: no message is in two of these places. */
export const inMutedPlaces: Source[] = [
  ...inChannels("s.active and s.is_muted"),
  ...inTopics(`about.id in (
      select chosen.topic_id from user_topics chosen
      where chosen.user_id = ${asker.id} and chosen.visibility_policy = ${visibilityPolicies.muted})
    and not exists (
      select from subscriptions s
      where s.user_id = ${asker.id} and s.channel_id = about.channel_id and s.active and s.is_muted)`),
];

/** What mentions the reader: by name, or with everybody in a channel. */
export const mentioning: Source[] = [
  { flagged: "(own.mentioned or own.topic_wildcard_mentioned)" },
  { by: "conversation_id", places: receivedInChannels, only: `${stayed} and m.mentions_channel` },
  { by: "origin_id", places: receivedElsewhere, only: "m.mentions_channel" },
];
