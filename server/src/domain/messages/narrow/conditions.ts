/**
 * A term as an SQL condition on a message and the rows joined to it: see messages/access.ts, flags/rules.ts, and `t`,
 * its topic.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import { isReceived, isRead } from "../flags/rules.ts";
import { caller } from "../access.ts";
import { traits } from "../traits.ts";
import { hasWords } from "../search/words.ts";
import { isUnmutedTopic } from "../../channels/user-topics/rules.ts";
import type { Parameters } from "./parameters.ts";
import type { Place, ResolvedTerm } from "./resolve.ts";
import { resolvedMark } from "../../channels/topics/resolved.ts";

export interface NarrowContext {
  params: Parameters;
  language: string;
  /** The single channel the narrow is about, if there is one. */
  channelId: number | undefined;
}

export function conditionSql(term: ResolvedTerm, context: NarrowContext): string {
  const condition = meaningSql(term, context);
  return term.negated ? `not coalesce(${condition}, false)` : condition;
}

function meaningSql(term: ResolvedTerm, context: NarrowContext): string {
  const { params, channelId } = context;
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
    case "mentions":
      // As the renderer writes it. Silent mentions have another class; groups and wildcards name no user.
      return `(position(${params.add(`<span class="user-mention" data-user-id="${term.userId}">`, "text")} in m.rendered_content) > 0)`;
    case "id":
      return `(m.id = ${params.add(term.id, "bigint")})`;
    case "search":
      return hasWords({ params, language: context.language, text: term.text });
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
 * The source determines where messages are looked for, so this comparison must not affect the plan. As a plain one, it
 * could make PostgreSQL scan the newest messages of all instead of using that column's index. If it seemed to match few
 * rows, PostgreSQL would read and sort a whole topic instead of walking its index from the newest message. Inside
 * `coalesce` it fits no index and counts as true for every second row.
 */
const holds = (column: "conversation_id" | "topic_id" | "sender_id", value: string): string =>
  `coalesce(m.${column} = ${value}, false)`;

const takesPart = (user: string): string => `exists (
        select from participations other where other.user_id = ${user} and other.conversation_id = m.conversation_id)`;

export const topicIdSql = (params: Parameters, channelId: number, name: string): string =>
  `(select named.id from topics named where named.channel_id = ${params.add(channelId, "bigint")}
        and lower(named.name) = lower(${params.add(name, "text")}))`;

export const directConversationSql = (params: Parameters, key: string): string =>
  `(select direct.id from conversations direct
        where direct.realm_id = ${caller.realm} and direct.direct_key = ${params.add(key, "text")})`;

const placeSql = (params: Parameters, { conversationId, topicId }: Place): string =>
  topicId === undefined
    ? holds("conversation_id", params.add(conversationId, "bigint"))
    : holds("topic_id", params.add(topicId, "bigint"));

/** Muting a channel does not matter to a narrow on that very channel. */
export const isUnmuted = (isInsideChannel: boolean): string =>
  `(c.id is null or ${isUnmutedTopic(caller, "m.topic_id", isInsideChannel ? "false" : "coalesce(s.active and s.is_muted, false)")})`;

const isSql = {
  dm: "(c.id is null)",
  starred: "coalesce(f.starred, false)",
  unread: `(not ${isRead(caller)})`,
  alerted: "coalesce(f.has_alert_word, false)",
  mentioned: `(coalesce(f.mentioned or f.topic_wildcard_mentioned, false)
      or (c.id is not null and m.mentions_channel and ${isReceived}))`,
  followed: `exists (
      select from user_topics chosen where chosen.user_id = ${caller.id} and chosen.topic_id = m.topic_id
        and chosen.visibility_policy = ${visibilityPolicies.followed})`,
  muted: `(not ${isUnmuted(false)})`,
  resolved: `coalesce(t.name like '${resolvedMark}%', false)`,
};
