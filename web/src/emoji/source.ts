/** The source of emoji: names from the server, fetched once when first wanted; recent ones kept on this device. */
import { type Emoji, type EmojiData, type EmojiSource, listEmoji, type OwnEmoji } from "./emoji.ts";

const storageKey = "skein.recent-emoji";
const mostRecent = 24;
/** For somebody who has used none yet. */
const popular = ["+1", "heart", "joy", "tada", "eyes", "rocket", "check", "folded_hands"];

function readRecent(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

export function emojiSource(dataUrl: () => string, own: () => Iterable<OwnEmoji>): EmojiSource {
  let data: Promise<EmojiData> | undefined;
  let recent: string[] | undefined;
  const fetchData = async (): Promise<EmojiData> => {
    // The path alone: behind a proxy the organization's address may differ from the page's.
    const { pathname } = new URL(dataUrl(), location.href);
    const response = await fetch(pathname);
    if (!response.ok) throw new Error(`emoji names: ${response.status}`);
    return (await response.json()) as EmojiData; // our own server's
  };
  return {
    async load() {
      data ??= fetchData();
      try {
        return listEmoji(await data, own());
      } catch (error) {
        data = undefined;
        throw error;
      }
    },
    recent: () => {
      recent ??= readRecent();
      return [...new Set([...recent, ...popular])];
    },
    noteUse({ name }: Emoji) {
      recent = [name, ...(recent ?? readRecent()).filter((each) => each !== name)].slice(0, mostRecent);
      try {
        localStorage.setItem(storageKey, JSON.stringify(recent));
      } catch {
        // No room or not allowed: they are remembered until the page is left.
      }
    },
  };
}
