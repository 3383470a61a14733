/** Compiles resolved terms into a search: where to look, and which conditions must hold. */
import { isReceived } from "../flags/rules.ts";
import { caller, isReadable } from "../access.ts";
import type { Extent } from "../search/extent.ts";
import { candidates } from "../search/words.ts";
import { conditionSql, directConversationSql, isUnmuted, topicIdSql, type NarrowContext } from "./conditions.ts";
import type { Parameters } from "./parameters.ts";
import type { ResolvedTerm } from "./resolve.ts";
import {
  directMessages,
  scanNearestFirst,
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
import { visibilityPolicies } from "@skein/api/user-topics.ts";

export interface CompileOptions {
  params: Parameters;
  /** The text search configuration of the organization. */
  language: string;
  /** The search terms, if there are any. */
  search: { words: string; extent: Extent } | undefined;
  /** Overrides which messages are considered; by default the terms determine it. */
  reach?: "readable" | "received" | undefined;
}

/** Each part adds its values to the parameters only when it is used: a statement must not have unused ones. */
export interface Compiled {
  /** The conditions a matching message meets. */
  conditions: string[];
  search: () => Search;
  /** Finds only messages that are unread and not muted. */
  unread: () => Search;
}

export function compileNarrow(terms: ResolvedTerm[], options: CompileOptions): Compiled {
  const { params, language, reach } = options;
  const positive = terms.filter(({ negated }) => !negated);
  const channelId = channelOf(positive);
  const context: NarrowContext = { params, language, channelId };
  const conditions = [reaches[reach ?? reachOf(positive, terms)], ...terms.map((term) => conditionSql(term, context))];
  const isUnread: ResolvedTerm = { kind: "is", what: "unread", negated: false };
  return {
    conditions,
    search: () => ({ sources: sourcesFor(positive, context, options), conditions }),
    unread: () => ({
      sources: sourcesFor([...positive, isUnread], context, options),
      conditions: [...conditions, conditionSql(isUnread, context), isUnmuted(channelId !== undefined)],
    }),
  };
}

const channelOf = (positive: ResolvedTerm[]): number | undefined =>
  positive.map((term) => (term.kind === "channel" ? term.channelId : undefined)).find((id) => id !== undefined);

/**
 * Everything the reader may read, if the narrow names channels and no state of the reader's own; otherwise what they
 * were sent. Starred messages are included even if they were not sent to the reader.
 */
function reachOf(positive: ResolvedTerm[], terms: ResolvedTerm[]): keyof typeof reaches {
  const asksForOwn = terms.some((term) => term.kind === "is" && term.what !== "resolved");
  const namesChannels = positive.some(({ kind }) => kind === "channel" || kind === "channels" || kind === "place");
  const isStarred = positive.some((term) => term.kind === "is" && term.what === "starred");
  return (namesChannels && !asksForOwn) || isStarred ? "readable" : "received";
}

const reaches = { readable: isReadable(caller), received: `${isReadable(caller)} and ${isReceived}` };

type Kind = ResolvedTerm["kind"];

/**
 * How many of the newest messages are scanned for a common word. If all of them turn out to be other people's, this
 * costs a fraction of a second.
 */
const maxScanned = "20000";

const listed = (
  { words, extent: { indexedUpTo } }: NonNullable<CompileOptions["search"]>,
  { params, language }: NarrowContext,
): Listed => ({ ids: candidates({ params, language, text: words, indexedUpTo }, caller.realm) });

/** The most selective source any of the terms offers. */
function sourcesFor(positive: ResolvedTerm[], context: NarrowContext, { search }: CompileOptions): Source[] {
  const { params, channelId } = context;
  const find = <K extends Kind>(kind: K) =>
    positive.find((term): term is Extract<ResolvedTerm, { kind: K }> => term.kind === kind);
  const is = (what: Extract<ResolvedTerm, { kind: "is" }>["what"]) =>
    positive.some((term) => term.kind === "is" && term.what === what);
  const ref = (id: number) => params.add(id, "bigint");

  const id = find("id");
  if (id) return [{ ids: `select ${ref(id.id)} as id` }];
  if (search && !search.extent.isCommon) return [listed(search, context)];
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
  // A person has usually written less than all members of a channel together.
  if (sender && !dm) return sentBy(ref(sender.userId));
  if (conversation !== undefined) return inConversation(conversationSql(conversation));
  if (search) return [{ scanLimit: () => maxScanned, otherwise: listed(search, context) }];
  if (topic)
    return inTopics(
      `about.realm_id = ${caller.realm} and lower(about.name) = lower(${params.add(topic.name, "text")})`,
    );
  if (is("followed"))
    return inTopics(`about.id in (
      select chosen.topic_id from user_topics chosen where chosen.user_id = ${caller.id} and chosen.visibility_policy = ${visibilityPolicies.followed})`);
  if (is("muted")) return inMutedPlaces;
  const including = find("dm-including") ?? find("group-dm-with");
  if (including)
    return directMessages(` and exists (select from participations other
        where other.user_id = ${ref(including.userId)} and other.conversation_id = p.conversation_id)`);
  if (is("dm") || dm) return directMessages();
  const channels = find("channels");
  if (channels)
    return [scanNearestFirst(inChannels(channels.which === "public" ? "not c.invite_only" : "c.is_web_public"))];
  return receivedMessages;
}
