/** What Slack writes between angle brackets: mentions, channels, dates and links. */
import { decodeText } from "./entities.ts";

export type Angle =
  | { kind: "person" | "channel"; id: string; label: string }
  | { kind: "broadcast"; label: string }
  | { kind: "group"; id: string; label: string }
  | { kind: "date"; seconds: number; label: string }
  | { kind: "link"; url: string; label: string }
  | { kind: "text" };

/** Of the text between the brackets. */
export function parseAngle(inside: string): Angle {
  const bar = inside.indexOf("|");
  const head = bar === -1 ? inside : inside.slice(0, bar);
  const label = decodeText(bar === -1 ? "" : inside.slice(bar + 1));
  if (/^@[A-Z0-9]+$/.test(head)) return { kind: "person", id: head.slice(1), label };
  if (/^#[A-Z0-9]+$/.test(head)) return { kind: "channel", id: head.slice(1), label };
  if (head.startsWith("!subteam^")) return { kind: "group", id: head.slice("!subteam^".length), label };
  if (head.startsWith("!date^")) {
    const seconds = Number(head.split("^")[1]);
    return Number.isFinite(seconds) ? { kind: "date", seconds, label } : { kind: "text" };
  }
  if (head.startsWith("!")) return { kind: "broadcast", label: head.slice(1).split("^")[0] ?? "" };
  const url = decodeText(head);
  return /^[a-z][a-z0-9+.-]*:/i.test(url) ? { kind: "link", url, label } : { kind: "text" };
}

const permalink = /^https:\/\/(?:[\w-]+\.)*slack\.com\/archives\/([A-Z0-9]+)\/p(\d{6,12})(\d{6})(?:\?|$)/;

/** The id of the message to which a link leads. */
export function messageIdOfLink(url: string): string | undefined {
  const [, channelId, seconds, micros] = permalink.exec(url) ?? [];
  return channelId === undefined ? undefined : `${channelId}:${seconds}.${micros}`;
}
