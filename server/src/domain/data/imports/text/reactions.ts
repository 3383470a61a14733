/** Reactions of other chats as ours. */
import type { NoteSkipped, SourceId, SourceMessage } from "../source.ts";
import { ourEmojiName, withoutTone } from "./emoji.ts";

export interface GivenReaction {
  name: string;
  /** Undefined for people who are not in the export. */
  people: readonly (SourceId | undefined)[];
}

/** Names of custom emoji as our server allows them. */
export const customEmojiName = (name: string): string => name.toLowerCase().replaceAll(/[^0-9a-z._-]/g, "_");

/** Each person once for each emoji; notes what is left out. `builtIn` finds our names of emoji that are not custom. */
export function readReactions(
  messageId: SourceId,
  given: readonly GivenReaction[],
  customEmoji: ReadonlySet<string>,
  noteSkipped: NoteSkipped,
  builtIn: (name: string) => string | undefined = ourEmojiName,
): SourceMessage["reactions"] {
  const byName = new Map<string, Set<SourceId>>();
  for (const { name, people } of given) {
    const emojiName = toEmojiName(name, customEmoji, builtIn);
    if (emojiName === undefined) {
      // One for the reaction, however many people gave it.
      noteSkipped("reaction_unknown_emoji", messageId);
      continue;
    }
    const known = byName.get(emojiName) ?? new Set();
    byName.set(emojiName, known);
    for (const person of people) {
      if (person === undefined) noteSkipped("reaction_unknown_user", messageId);
      else if (known.has(person)) noteSkipped("reaction_duplicate", messageId);
      else known.add(person);
    }
  }
  const reactions = [...byName].filter(([, people]) => people.size > 0);
  if (reactions.length === 0) return undefined;
  return reactions.map(([emojiName, people]) => ({ emojiName, people: [...people] }));
}

/** A custom emoji takes precedence over a built-in one of the same name. */
function toEmojiName(
  name: string,
  customEmoji: ReadonlySet<string>,
  builtIn: (name: string) => string | undefined,
): string | undefined {
  const custom = customEmojiName(withoutTone(name));
  return customEmoji.has(custom) ? custom : builtIn(name);
}
