/** What people did with polls and to-do lists. */
import { isRecord } from "../archive/json.ts";
import type { StagedMessage } from "./staging.ts";

export interface ReadySubmessage {
  senderId: number;
  type: string;
  content: string;
}

export const toSubmessages = (
  submessages: StagedMessage["submessages"],
  people: ReadonlyMap<string, number>,
): ReadySubmessage[] =>
  (submessages ?? []).flatMap(({ senderId, type, content }) => {
    const sender = people.get(senderId);
    return sender === undefined ? [] : [{ senderId: sender, type, content: withOurIds(content, people) }];
  });

/** An option or task that somebody added is known by their id and a number. */
function withOurIds(content: string, people: ReadonlyMap<string, number>): string {
  const data = parse(content);
  if (!isRecord(data) || typeof data["key"] !== "string") return content;
  const [, id = "", rest = ""] = /^(\d+)(,.*)$/.exec(data["key"]) ?? [];
  const ours = people.get(id);
  return ours === undefined ? content : JSON.stringify({ ...data, key: `${ours}${rest}` });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
