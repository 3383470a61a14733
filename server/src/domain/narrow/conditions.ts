/** A term as SQL over a message and what is joined to it: see messages/access.ts, flags/rules.ts, and `t`, its topic. */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { isReceived, isRead } from "../flags/rules.ts";
import { asker } from "../messages/access.ts";
import { traits } from "../messages/traits.ts";
import { hasWords } from "../search/words.ts";
import { isUnmutedTopic } from "../user-topics/rules.ts";
import type { Parameters } from "./parameters.ts";
import type { Place, ResolvedTerm } from "./resolve.ts";

/** What messages begin with whose topic was resolved. */
const resolvedPrefix = "✔ ";

export interface Surroundings {
  params: Parameters;
  language: string;
  /** The one channel the narrow is about, if it is about one. */
  channelId: number | undefined;
}

export function conditionSql(term: ResolvedTerm, around: Surroundings): string {
  const condition = meaningSql(term, around);
  return term.negated ? `not coalesce(${condition}, false)` : condition;
}

function meaningSql(term: ResolvedTerm, around: Surroundings): string {
  const { params, channelId } = around;
  switch (term.kind) {
    case "channel":
      return holds("conversation_id", params.add(term.channelId, "bigint"));
    case "channels":
      return term.which === "public" ? "(c.id is not null and not c.invite_only)" : "coalesce(c.is_web_public, false)";
    case "topic":
      return channelId === undefined
        ? `(lower(t.name) = lower(${params.add(term.name, "text")}))`
        : holds("topic_id", topicIdSql(params, channelId, term.name));
    case "place":
      return placeSql(params, term.place);
    case "dm":
      return term.directKey === undefined
        ? "false"
        : holds("conversation_id", directConversationSql(params, term.directKey));
    case "dm-including":
      return `(c.id is null and ${takesPart(params.add(term.userId, "bigint"))})`;
    case "group-dm-with":
      return `(c.id is null and ${takesPart(params.add(term.userId, "bigint"))} and exists (
        select from conversations several where several.id = m.conversation_id and several.is_group))`;
    case "sender":
      return holds("sender_id", params.add(term.userId, "bigint"));
    case "id":
      return `(m.id = ${params.add(term.id, "bigint")})`;
    case "search":
      return hasWords({ params, language: around.language, text: term.text });
    case "has":
      return term.what === "reaction"
        ? "exists (select from reactions reaction where reaction.message_id = m.id)"
        : `(m.traits & ${traits[term.what]} <> 0)`;
    case "is":
      return isSql[term.what];
    case "home":
      return isUnmuted(channelId !== undefined);
  }
}

/**
 * Compared as a sum, which is in no index: where messages are looked for is the source's to say. Knowing that a column has
 * one value, PostgreSQL would take the newest messages of all for as good an order as the index of that column.
 */
const holds = (column: "conversation_id" | "topic_id" | "sender_id", value: string): string =>
  `(m.${column} + 0 = ${value})`;

const takesPart = (user: string): string => `exists (
        select from participations other where other.user_id = ${user} and other.conversation_id = m.conversation_id)`;

export const topicIdSql = (params: Parameters, channelId: number, name: string): string =>
  `(select named.id from topics named where named.channel_id = ${params.add(channelId, "bigint")}
        and lower(named.name) = lower(${params.add(name, "text")}))`;

export const directConversationSql = (params: Parameters, key: string): string =>
  `(select direct.id from conversations direct
        where direct.realm_id = ${asker.realm} and direct.direct_key = ${params.add(key, "text")})`;

const placeSql = (params: Parameters, { conversationId, topicId }: Place): string =>
  topicId === undefined
    ? holds("conversation_id", params.add(conversationId, "bigint"))
    : holds("topic_id", params.add(topicId, "bigint"));

/** Who looks into a muted channel wants to see it. */
export const isUnmuted = (isInsideChannel: boolean): string =>
  `(c.id is null or ${isUnmutedTopic(asker, "m.topic_id", isInsideChannel ? "false" : "coalesce(s.active and s.is_muted, false)")})`;

const isSql = {
  dm: "(c.id is null)",
  starred: "coalesce(f.starred, false)",
  unread: `(not ${isRead(asker)})`,
  alerted: "coalesce(f.has_alert_word, false)",
  mentioned: `(coalesce(f.mentioned or f.topic_wildcard_mentioned, false)
      or (c.id is not null and m.mentions_channel and ${isReceived}))`,
  followed: `exists (
      select from user_topics chosen where chosen.user_id = ${asker.id} and chosen.topic_id = m.topic_id
        and chosen.visibility_policy = ${visibilityPolicies.followed})`,
  muted: `(not ${isUnmuted(false)})`,
  resolved: `coalesce(t.name like '${resolvedPrefix}%', false)`,
};
