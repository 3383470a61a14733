/** A quote in Markdown: its author, a link to the message, and the text in a fence that the text cannot close. */
import { t } from "./t.ts";

interface Quoted {
  name: string;
  userId: number;
  link: string;
  /** The source text. */
  content: string;
}

export function quotation({ name, userId, link, content }: Quoted): string {
  const longest = Math.max(2, ...(content.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `@_**${name}|${userId}** [${t("quote.said")}](${link}):\n${fence}quote\n${content}\n${fence}\n`;
}
