/** What the typeahead asks for. The store answers for people, channels and topics; the rest is here and in emoji/. */
import type { Shown } from "../ui/suggestion-list.tsx";
import type { Trigger } from "./typeahead.ts";

export interface Suggestion extends Shown {
  /** What replaces everything from the trigger to the caret, the space behind it included. */
  insert: string;
  /** Where the caret goes, from the start of what is inserted; else behind it. */
  caret?: number;
  /** For a channel: what typing `>` inserts, to go on with its topics. */
  insertForTopics?: string;
}

/** Answers best first and at once; topics may have to be fetched. */
export interface TypeaheadSources {
  person: (trigger: Trigger) => readonly Suggestion[];
  channel: (trigger: Trigger) => readonly Suggestion[];
  topic: (trigger: Trigger) => readonly Suggestion[] | Promise<readonly Suggestion[]>;
  emoji: (trigger: Trigger) => readonly Suggestion[] | Promise<readonly Suggestion[]>;
}

/** So many are offered. */
export const mostSuggestions = 8;

/** How each kind is written. */
export const mentionText = (name: string, isSilent: boolean | undefined): string =>
  `@${isSilent ? "_" : ""}**${name}** `;
export const groupMentionText = (name: string, isSilent: boolean | undefined): string =>
  `@${isSilent ? "_" : ""}*${name}* `;
export const channelText = (name: string): string => `#**${name}** `;
export const channelBeforeTopicText = (name: string): string => `#**${name}>`;
export const topicText = (channel: string, topic: string): string => `#**${channel}>${topic}** `;
