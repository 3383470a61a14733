/** Names of custom emoji: how the server stores them, and what is wrong with one. */
import "../text/chunks/organization-lists.ts";
import type { TextKey } from "../text/t.ts";
import { isAdministrator } from "./roles.ts";
import { part } from "./state.ts";

const maxLength = 100;

export const emojiName = (typed: string): string => typed.trim().toLowerCase().replaceAll(" ", "_");

/** Why an emoji cannot have this name; undefined if it can. */
export function problemWithEmojiName(name: string, builtIn: ReadonlySet<string>): TextKey | undefined {
  if (!/^[0-9a-z._-]+$/.test(name)) return "organization.emoji.characters";
  if (!/[0-9a-z]$/.test(name)) return "organization.emoji.ending";
  if (name.length > maxLength) return "organization.emoji.tooLong";
  const own = Object.values(part("realm_emoji").value ?? {});
  if (own.some((emoji) => emoji.name === name && !emoji.deactivated)) return "organization.emoji.taken";
  return builtIn.has(name) && !isAdministrator() ? "organization.emoji.builtIn" : undefined;
}
