/** A quote as it is written: who said it, where, and the words in a fence that nothing in them can close. */
import { t } from "./t.ts";

interface Quoted {
  name: string;
  userId: number;
  link: string;
  /** As it was written. */
  content: string;
}

export function quotation({ name, userId, link, content }: Quoted): string {
  const longest = Math.max(2, ...(content.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `@_**${name}|${userId}** [${t("quote.said")}](${link}):\n${fence}quote\n${content}\n${fence}\n`;
}
