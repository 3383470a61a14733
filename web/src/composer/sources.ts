/** The typeahead's data sources. The store provides people, channels and topics; the rest is here and in suggest-emoji.ts. */
import type { Shown } from "../ui/suggestion-list.tsx";
import type { Trigger } from "./typeahead.ts";

export interface Suggestion extends Shown {
  /** Replaces everything from the trigger to the caret, including a trailing space. */
  insert: string;
  /** The caret's offset from the start of the inserted text; by default after it. */
  caret?: number;
  /** For a channel: what typing `>` inserts, to continue with its topics. */
  insertForTopics?: string;
}

/** Returns the best first, synchronously; topics may have to be fetched. */
export interface TypeaheadSources {
  person: (trigger: Trigger) => readonly Suggestion[];
  channel: (trigger: Trigger) => readonly Suggestion[];
  topic: (trigger: Trigger) => readonly Suggestion[] | Promise<readonly Suggestion[]>;
  emoji: (trigger: Trigger) => readonly Suggestion[] | Promise<readonly Suggestion[]>;
}

/** How many are offered. */
export const maxSuggestions = 8;

/** The syntax of each kind. */
export const mentionText = (name: string, isSilent: boolean | undefined): string =>
  `@${isSilent ? "_" : ""}**${name}** `;
export const groupMentionText = (name: string, isSilent: boolean | undefined): string =>
  `@${isSilent ? "_" : ""}*${name}* `;
export const channelText = (name: string): string => `#**${name}** `;
export const channelBeforeTopicText = (name: string): string => `#**${name}>`;
export const topicText = (channel: string, topic: string): string => `#**${channel}>${topic}** `;
