/** Reactions of the other chat. The readers use our names. */
import { codeToName, nameToCode } from "../../../../markdown/emoji.ts";
import type { Emoji } from "../../../organization/emoji/which-emoji.ts";
import type { SourceMessage, SourceReaction } from "../source.ts";

const doneCodes = new Set(["2705", "2714"]);

const meansDone = ({ emojiName }: SourceReaction): boolean => doneCodes.has(nameToCode.get(emojiName) ?? "");

/** Whether the author, or more than half of all who reacted, marked the message as done. */
export function isResolvedBy({ senderId, reactions = [] }: Pick<SourceMessage, "senderId" | "reactions">): boolean {
  const everybody = new Set(reactions.flatMap(({ people }) => people));
  const done = new Set(reactions.filter(meansDone).flatMap(({ people }) => people));
  return done.has(senderId) || done.size * 2 > everybody.size;
}

/** `custom`: the ids of the organization's own emoji by name, which come first. */
export function findEmoji(name: string, custom: ReadonlyMap<string, number>): Emoji | undefined {
  const id = custom.get(name);
  if (id !== undefined) return { emoji_name: name, emoji_code: String(id), reaction_type: "realm_emoji" };
  const code = nameToCode.get(name);
  // Of several names, the same one for everybody.
  const shown = code === undefined ? undefined : codeToName.get(code);
  if (code === undefined || shown === undefined) return undefined;
  return { emoji_name: shown, emoji_code: code, reaction_type: "unicode_emoji" };
}
