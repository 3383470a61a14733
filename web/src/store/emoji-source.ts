/** The source of emoji: names from the server, fetched on first use; recent ones stored on this device. */
import { readStored, store } from "./storage.ts";
import type { Emoji, EmojiData, EmojiSource, OwnEmoji } from "../text/emoji.ts";

const storageKey = "skein.recent-emoji";
const maxRecent = 24;
/** For a user who has not used any yet. */
const popular = ["+1", "heart", "joy", "tada", "eyes", "rocket", "check", "folded_hands"];

function readRecent(): string[] {
  const kept = readStored("local", storageKey);
  return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
}

export function emojiSource(dataUrl: () => string, own: () => Iterable<OwnEmoji>): EmojiSource {
  let data: Promise<EmojiData> | undefined;
  let recent: string[] | undefined;
  const fetchData = async (): Promise<EmojiData> => {
    // Path only: behind a proxy the organization's URL may differ from the page's.
    const { pathname } = new URL(dataUrl(), location.href);
    const response = await fetch(pathname);
    if (!response.ok) throw new Error(`emoji names: ${response.status}`);
    return (await response.json()) as EmojiData; // from our own server
  };
  return {
    async load() {
      data ??= fetchData();
      try {
        const names = await data;
        const { listEmoji } = await import("../text/emoji.ts");
        return listEmoji(names, own());
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
      recent = [name, ...(recent ?? readRecent()).filter((each) => each !== name)].slice(0, maxRecent);
      store("local", storageKey, recent);
    },
  };
}
