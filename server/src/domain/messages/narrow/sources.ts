/**
 * Where to look for the messages of a narrow: indexes that return ids in order, so that the cost of a page depends on
 * its length and not on the number of messages. A source may return more than the narrow matches, never less; the
 * conditions decide.
 *
 * Most narrows cover many places at once: the combined feed covers every channel of the reader. Each place has its
 * newest message first in its index. Only the places with the newest messages are kept, as many as the page is long,
 * and the oldest of these newest messages is the furthest the page can reach. So only messages near the page are read,
 * however many places there are and however long their history is.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { contentAccessSql } from "../../channels/access.ts";
import { flagsJoin } from "../flags/rules.ts";
import { caller, readerJoins } from "../access.ts";

/** Greater than every id. */
const maxId = "9223372036854775807";

/** Ids in one column's index, in places `(key, low, high)`: from `low` up to, but excluding, `high`. */
export interface Places {
  by: "conversation_id" | "topic_id" | "sender_id" | "origin_id";
  places: string;
  /** An additional condition for messages found here. */
  only?: string;
}

/** An explicit list of ids. */
export interface Listed {
  /** SQL for rows `(id)`. */
  ids: string;
}

/** Messages on which the reader has a flag. */
export interface Flagged {
  /** An SQL condition on the reader's row `own` in message_flags. */
  flagged: string;
}

/** Scans the nearest messages of all first, up to a limit, and uses the other source only when these are not enough. */
export interface NearestFirst {
  scanLimit: (limit: string) => string;
  otherwise: Listed | Places[];
}

export type Source = Places | Listed | Flagged | NearestFirst;

export interface Search {
  sources: Source[];
  /** The conditions a matching message meets. */
  conditions: string[];
}

export type Direction = "before" | "after";

const joins = `${readerJoins(caller)} ${flagsJoin(caller)} left join topics t on t.id = m.topic_id`;

/** A query for at most `limit` ids nearest to a bound, the bound included. Bound and limit are SQL. */
export function nearest(search: Search, direction: Direction, bound: string, limit: string): string {
  const order = direction === "before" ? "desc" : "asc";
  const where = [`m.realm_id = ${caller.realm}`, ...search.conditions].join("\n        and ");
  const inPlaces = search.sources.filter((source) => "by" in source);
  const parts = [
    ...search.sources.flatMap((source) => ("by" in source ? [] : nearestOf(source, where, direction, bound, limit))),
    ...(inPlaces.length > 0 ? [nearestInPlaces(inPlaces, where, direction, bound, limit)] : []),
  ];
  return `select id from (${parts.map((part) => `(${part})`).join(" union ")}) as found order by id ${order} limit ${limit}`;
}

function nearestOf(
  source: Listed | Flagged | NearestFirst,
  where: string,
  direction: Direction,
  bound: string,
  limit: string,
): string {
  const [sign, order] = direction === "before" ? ["<=", "desc"] : [">=", "asc"];
  if ("flagged" in source)
    return `select m.id from message_flags own join messages m on m.id = own.message_id ${joins}
      where own.user_id = ${caller.id} and ${source.flagged} and own.message_id ${sign} ${bound} and ${where}
      order by own.message_id ${order} limit ${limit}`;
  // Checks them in order, one by one, until there are enough.
  const first = (ids: string) => `select listed.id from (${ids}) as listed
        cross join lateral (select from messages m ${joins} where m.id = listed.id and ${where} limit 1) as matching
      order by listed.id ${order} limit ${limit}`;
  // "offset 0" keeps the bound out of the list: with it, an index might be scanned for half of all ids.
  const listed = ({ ids }: Listed) =>
    first(`select id from (${ids} offset 0) as named where id ${sign} ${bound} order by id ${order}`);
  if ("ids" in source) return listed(source);
  const { otherwise } = source;
  const scanLimit = source.scanLimit(limit);
  const all = `from messages where id ${sign} ${bound} order by id ${order}`;
  return `with near as materialized (
      select m.id from (select * ${all} limit ${scanLimit}) as m ${joins} where ${where}
      order by m.id ${order} limit ${limit})
    select id from near
    union
    select id from (
      ${Array.isArray(otherwise) ? nearestInPlaces(otherwise, where, direction, bound, limit) : listed(otherwise)}) as far
    where case when (select count(*) from near) < ${limit} then exists (select ${all} offset ${scanLimit}) else false end`;
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
  const none = direction === "before" ? "0" : maxId;
  return `with heads as materialized (
      select * from (${first.join("\n      union all ")}) as head order by id ${order} limit ${limit}),
    reach as materialized (
      select case when count(*) < ${limit} then ${none} else ${outermost}(id) end as edge from heads)
    ${rest.join("\n    union all ")}
    order by id ${order} limit ${limit}`;
}

/**
 * The query asks for a range of the index, from one pair of key and id to another. If it asked for the key and an order
 * of ids, the planner might prefer to scan all messages.
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

/** A single place: everything under a key. */
export const wholePlace = (key: string): string => `select ${key} as key, 0::bigint as low, ${maxId} as high`;

const ranges = (key: string, ids: string, from: string): string =>
  `select ${key} as key, lower(stretch.ids) as low, coalesce(upper(stretch.ids), ${maxId}) as high
      from ${from} cross join lateral unnest(${ids}) as stretch (ids)`;

/** What was sent to channels the reader can still access, while the reader was subscribed. */
const receivedInChannels = `${ranges("s.channel_id", "s.received", "subscriptions s join channels c on c.id = s.channel_id")}
      where s.user_id = ${caller.id} and ${contentAccessSql({ channel: "c", subscription: "s", reader: caller })}`;

/** For moved messages, the channel they were sent to determines who received them. */
const receivedElsewhere = `${ranges("s.channel_id", "s.received", "subscriptions s")} where s.user_id = ${caller.id}`;

const conversations = (also: string): string => `select p.conversation_id as key, 0::bigint as low, ${maxId} as high
      from participations p where p.user_id = ${caller.id}${also}`;

const unreadInChannels = (also: string): string =>
  `${ranges("s.channel_id", "s.received - s.read", "subscriptions s")}
      where s.user_id = ${caller.id} and s.active${also}`;

const unreadElsewhere = `${ranges("s.channel_id", "s.received - s.read", "subscriptions s")} where s.user_id = ${caller.id}`;

const unreadInConversations = (also: string): string =>
  `${ranges("p.conversation_id", "'{[0,)}'::int8multirange - p.read", "participations p")}
      where p.user_id = ${caller.id}${also}`;

const isNotMoved = "m.origin_id is null";

/**
 * A reader who is in most channels of a small organization finds a page among the nearest messages of all; trying that
 * first is cheaper than querying all the channels.
 */
export const scanNearestFirst = (otherwise: Places[]): NearestFirst => ({
  scanLimit: (limit) => `3 * ${limit}`,
  otherwise,
});

/** Everything the reader was sent. */
export const receivedMessages: Source[] = [
  scanNearestFirst([
    { by: "conversation_id", places: `${receivedInChannels} union all ${conversations("")}`, only: isNotMoved },
    { by: "origin_id", places: receivedElsewhere },
  ]),
];

/** Direct conversations; `also` restricts `p`. */
export const directMessages = (also = ""): Source[] => [{ by: "conversation_id", places: conversations(also) }];

/** All unread messages, or those of one conversation. */
export const unreadMessages = (conversation?: string): Source[] => [
  {
    by: "conversation_id",
    places:
      conversation === undefined
        ? `${unreadInChannels("")} union all ${unreadInConversations("")}`
        : `${unreadInChannels(` and s.channel_id = ${conversation}`)}
          union all ${unreadInConversations(` and p.conversation_id = ${conversation}`)}`,
    only: isNotMoved,
  },
  { by: "origin_id", places: unreadElsewhere },
];

/** The unread messages of a topic. */
export const unreadInTopic = (topic: string): Source[] => [
  {
    by: "topic_id",
    places: `${ranges(
      "about.id",
      "s.received - s.read",
      `topics about
        join subscriptions s on s.channel_id = about.channel_id and s.user_id = ${caller.id} and s.active`,
    )}
      where about.id = ${topic}`,
    only: isNotMoved,
  },
  { by: "origin_id", places: unreadElsewhere },
];

export const inConversation = (conversation: string): Source[] => [
  { by: "conversation_id", places: wholePlace(conversation) },
];

export const inTopic = (topic: string): Source[] => [{ by: "topic_id", places: wholePlace(topic) }];

/** Topics selected by a condition on `about`. */
export const inTopics = (where: string): Source[] => [
  {
    by: "topic_id",
    places: `select about.id as key, 0::bigint as low, ${maxId} as high from topics about where ${where}`,
  },
];

export const sentBy = (user: string): Source[] => [{ by: "sender_id", places: wholePlace(user) }];

/** Channels selected by a condition on `c`, if the reader has access. */
export const inChannels = (where: string): Places[] => [
  {
    by: "conversation_id",
    places: `select c.id as key, 0::bigint as low, ${maxId} as high from channels c
        left join subscriptions s on s.channel_id = c.id and s.user_id = ${caller.id}
      where c.realm_id = ${caller.realm} and ${where}
        and ${contentAccessSql({ channel: "c", subscription: "s", reader: caller })}`,
  },
];

/** Channels the reader has muted, and muted topics of other channels; no message is in two of these places. */
export const inMutedPlaces: Source[] = [
  ...inChannels("s.active and s.is_muted"),
  ...inTopics(`about.id in (
      select chosen.topic_id from user_topics chosen
      where chosen.user_id = ${caller.id} and chosen.visibility_policy = ${visibilityPolicies.muted})
    and not exists (
      select from subscriptions s
      where s.user_id = ${caller.id} and s.channel_id = about.channel_id and s.active and s.is_muted)`),
];

/** Messages that mention the reader by name, or everybody in a channel or topic. */
export const mentioning: Source[] = [
  { flagged: "(own.mentioned or own.topic_wildcard_mentioned)" },
  { by: "conversation_id", places: receivedInChannels, only: `${isNotMoved} and m.mentions_channel` },
  { by: "origin_id", places: receivedElsewhere, only: "m.mentions_channel" },
];
