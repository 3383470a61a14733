/** Starring: shown at once, put back when refused. */
import type { Event } from "@skein/api/events.ts";
import { updateMessageFlags } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import type { Message } from "./messages.ts";
import { change } from "./optimistic.ts";

export function toggleStar({ id, flags }: Message): void {
  const op = flags.includes("starred") ? "remove" : "add";
  const about = { type: "update_message_flags", flag: "starred", all: false } as const;
  const added: Event = { ...about, op: "add", operation: "add", messages: [id] };
  const removed: Event = { ...about, op: "remove", operation: "remove", messages: [id] };
  change({
    event: op === "add" ? added : removed,
    undo: op === "add" ? removed : added,
    request: () => call(updateMessageFlags, { messages: [id], op, flag: "starred" }),
  });
}
