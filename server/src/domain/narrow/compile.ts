/** From resolved terms to a search: where to look, and what must hold. */
import { isReceived } from "../flags/rules.ts";
import { asker, isReadable } from "../messages/access.ts";
import type { Extent } from "../search/extent.ts";
import { candidates } from "../search/words.ts";
import { conditionSql, directConversationSql, isUnmuted, topicIdSql, type Surroundings } from "./conditions.ts";
import type { Parameters } from "./parameters.ts";
import type { ResolvedTerm } from "./resolve.ts";
import {
  directMessages,
  firstNearby,
  inChannels,
  inConversation,
  inMutedPlaces,
  inTopic,
  inTopics,
  mentioning,
  receivedMessages,
  sentBy,
  unreadInTopic,
  unreadMessages,
  type Listed,
  type Search,
  type Source,
} from "./sources.ts";

export interface CompileOptions {
  params: Parameters;
  /** The text search configuration of the organization. */
  language: string;
  /** What is searched for, if anything is. */
  search: { words: string; extent: Extent } | undefined;
  /** Which messages are looked at at all, if the terms are not to say it. */
  reach?: "readable" | "received" | undefined;
}

/** Each part adds its values to the parameters when it is asked for: a statement may have no others. */
export interface Compiled {
  /** What holds for a message that is meant. */
  conditions: string[];
  search: () => Search;
  /** For what of it is unread and not muted. */
  unread: () => Search;
}

export function compileNarrow(terms: ResolvedTerm[], options: CompileOptions): Compiled {
  const { params, language, reach } = options;
  const meant = terms.filter(({ negated }) => !negated);
  const channelId = channelOf(meant);
  const around: Surroundings = { params, language, channelId };
  const conditions = [reaches[reach ?? reachOf(meant, terms)], ...terms.map((term) => conditionSql(term, around))];
  const isUnread: ResolvedTerm = { kind: "is", what: "unread", negated: false };
  return {
    conditions,
    search: () => ({ sources: sourcesFor(meant, around, options), conditions }),
    unread: () => ({
      sources: sourcesFor([...meant, isUnread], around, options),
      conditions: [...conditions, conditionSql(isUnread, around), isUnmuted(channelId !== undefined)],
    }),
  };
}

const channelOf = (meant: ResolvedTerm[]): number | undefined =>
  meant.map((term) => (term.kind === "channel" ? term.channelId : undefined)).find((id) => id !== undefined);

/**
 * Everything the reader may read, where the narrow names channels and asks for nothing of the reader's own; else what
 * they were sent. What somebody has starred is theirs, sent to them or not.
 */
function reachOf(meant: ResolvedTerm[], terms: ResolvedTerm[]): keyof typeof reaches {
  const asksForOwn = terms.some((term) => term.kind === "is" && term.what !== "resolved");
  const namesChannels = meant.some(({ kind }) => kind === "channel" || kind === "channels" || kind === "place");
  const isStarred = meant.some((term) => term.kind === "is" && term.what === "starred");
  return (namesChannels && !asksForOwn) || isStarred ? "readable" : "received";
}

const reaches = { readable: isReadable(asker), received: `${isReadable(asker)} and ${isReceived}` };

type Kind = ResolvedTerm["kind"];

/** For words that many messages have. It is a fraction of a second's work when they turn out to be others' messages. */
const newestLookedAt = "20000";

const listed = (
  { words, extent: { indexedUpTo } }: NonNullable<CompileOptions["search"]>,
  { params, language }: Surroundings,
): Listed => ({ ids: candidates({ params, language, text: words, indexedUpTo }, asker.realm) });

/** The narrowest source any of the terms offers. */
function sourcesFor(meant: ResolvedTerm[], around: Surroundings, { search }: CompileOptions): Source[] {
  const { params, channelId } = around;
  const find = <K extends Kind>(kind: K) =>
    meant.find((term): term is Extract<ResolvedTerm, { kind: K }> => term.kind === kind);
  const is = (what: Extract<ResolvedTerm, { kind: "is" }>["what"]) =>
    meant.some((term) => term.kind === "is" && term.what === what);
  const ref = (id: number) => params.add(id, "bigint");

  const id = find("id");
  if (id) return [{ ids: `select ${ref(id.id)} as id` }];
  if (search && !search.extent.isCommon) return [listed(search, around)];
  if (is("starred")) return [{ flagged: "own.starred" }];
  if (is("alerted")) return [{ flagged: "own.has_alert_word" }];
  if (is("mentioned")) return mentioning;

  const place = find("place")?.place;
  const topic = find("topic");
  const topicId =
    place?.topicId === undefined
      ? topic && channelId !== undefined && topicIdSql(params, channelId, topic.name)
      : ref(place.topicId);
  const dm = find("dm");
  const conversation = place?.conversationId ?? channelId ?? dm?.directKey;
  const conversationSql = (known: number | string): string =>
    typeof known === "number" ? ref(known) : directConversationSql(params, known);
  if (is("unread") && topicId) return unreadInTopic(topicId);
  if (is("unread")) return unreadMessages(conversation === undefined ? undefined : conversationSql(conversation));
  if (topicId) return inTopic(topicId);
  const sender = find("sender");
  // One person has written less than everybody in a channel.
  if (sender && !dm) return sentBy(ref(sender.userId));
  if (conversation !== undefined) return inConversation(conversationSql(conversation));
  if (search) return [{ lookingAt: () => newestLookedAt, otherwise: listed(search, around) }];
  if (topic)
    return inTopics(`about.realm_id = ${asker.realm} and lower(about.name) = lower(${params.add(topic.name, "text")})`);
  if (is("followed"))
    return inTopics(`about.id in (
      select chosen.topic_id from user_topics chosen where chosen.user_id = ${asker.id} and chosen.visibility_policy = 3)`);
  if (is("muted")) return inMutedPlaces;
  const including = find("dm-including") ?? find("group-dm-with");
  if (including)
    return directMessages(` and exists (select from participations other
        where other.user_id = ${ref(including.userId)} and other.conversation_id = p.conversation_id)`);
  if (is("dm") || dm) return directMessages();
  const channels = find("channels");
  if (channels) return [firstNearby(inChannels(channels.which === "public" ? "not c.invite_only" : "c.is_web_public"))];
  return receivedMessages;
}
