/** What the Notification Bot writes about threads. */
import { topicUrl } from "../../../../markdown/narrow-url.ts";
import { truncate } from "../../../base/truncate.ts";
import type { Line } from "./lines.ts";
import { lineKinds } from "./order.ts";
import { linkText, messageUrl, type Referred } from "./texts.ts";

const maxQuoteLength = 2000;

/** `quote`: the Markdown of the message that a line is about. Undefined if the line has nothing to refer to. */
export function noticeText(line: Line, { channels, people }: Referred, quote: string): string | undefined {
  if (line.kind === lineKinds.missingRoot) return "The message that this thread begins with is not in the export.";
  const channel = channels.get(line.place_id);
  const topic = line.thread_topic;
  if (!channel || topic === null) return undefined;
  if (line.kind === lineKinds.thread) {
    const replies = line.thread_replies === 1 ? "1 reply" : `${line.thread_replies} replies`;
    return `Thread: [${linkText(topic)}](${topicUrl(channel, topic).slice(1)}), ${replies}.`;
  }
  if (line.target_id === null) return undefined;
  const url = messageUrl({ id: line.target_id, channel, topic }, 0);
  const sender = people.get(line.sender_id ?? "");
  const who = sender ? `@_**${sender.full_name}|${sender.user_id}** ` : "";
  return `${who}[replied in ${linkText(topic)}](${url}):\n${quoted(truncate(quote, maxQuoteLength, "…"))}`;
}

/** In a fence that the text does not end. */
function quoted(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/[`~]{3,}/g), ([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}quote\n${text}\n${fence}`;
}
