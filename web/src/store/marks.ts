/** The reader's own flags on messages (starred, collapsed), updated optimistically. */
import type { Event } from "@skein/api/events.ts";
import { updateMessageFlags } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import type { Message } from "./messages.ts";
import { change } from "./optimistic.ts";

function toggle({ id, flags }: Message, flag: "starred" | "collapsed"): void {
  const op = flags.includes(flag) ? "remove" : "add";
  const about = { type: "update_message_flags", flag, all: false } as const;
  const added: Event = { ...about, op: "add", operation: "add", messages: [id] };
  const removed: Event = { ...about, op: "remove", operation: "remove", messages: [id] };
  change({
    event: op === "add" ? added : removed,
    undo: op === "add" ? removed : added,
    request: () => call(updateMessageFlags, { messages: [id], op, flag }),
  });
}

export const toggleStar = (message: Message): void => toggle(message, "starred");

export const toggleCollapsed = (message: Message): void => toggle(message, "collapsed");
