/** The emoji a user can choose: the standard ones and the organization's own. */
import { glyphOf } from "./glyph.ts";

export interface Emoji {
  /** The primary name, written between colons. */
  name: string;
  /** All names. */
  names: readonly string[];
  emoji_code: string;
  reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
  /** The characters, or an image. */
  glyph?: string;
  image?: string;
}

/** Provides emoji to the picker and the typeahead. */
export interface EmojiSource {
  load: () => Promise<readonly Emoji[]>;
  /** Names, most recently used first. */
  recent: () => readonly string[];
  noteUse: (emoji: Emoji) => void;
}

export interface EmojiData {
  code_to_names: Readonly<Record<string, readonly string[]>>;
}

export interface OwnEmoji {
  id: string;
  name: string;
  source_url: string;
  still_url?: string | null;
  deactivated: boolean;
}

/** Custom emoji come first, and replace standard ones of the same name. */
export function listEmoji({ code_to_names }: EmojiData, own: Iterable<OwnEmoji>): Emoji[] {
  const custom = Array.from(own)
    .filter(({ deactivated }) => !deactivated)
    .map(({ id, name, source_url }): Emoji => ({
      name,
      names: [name],
      emoji_code: id,
      reaction_type: "realm_emoji",
      image: source_url,
    }));
  const taken = new Set(custom.map(({ name }) => name));
  const standard = Object.entries(code_to_names).flatMap(([emoji_code, all]): Emoji[] => {
    const names = all.filter((name) => !taken.has(name));
    const [name] = names;
    const glyph = glyphOf(emoji_code);
    return name === undefined || glyph === undefined
      ? []
      : [{ name, names, emoji_code, reaction_type: "unicode_emoji", glyph }];
  });
  return [...custom, ...standard];
}
