/** The reader's own flags on messages (starred, collapsed). */
import { updateMessageFlags } from "@skein/api/routes/flags.ts";
import { call } from "../api/call.ts";
import type { Message } from "./messages.ts";
import { perform } from "./operations.ts";

function toggle({ id, flags }: Message, flag: "starred" | "collapsed"): void {
  const op = flags.includes(flag) ? "remove" : "add";
  const about = { type: "update_message_flags" as const, flag, all: false, messages: [id] };
  perform({
    key: `${flag} ${id}`,
    event: op === "add" ? { ...about, op, operation: op } : { ...about, op, operation: op },
    request: () => call(updateMessageFlags, { messages: [id], op, flag }),
  });
}

export const toggleStar = (message: Message): void => toggle(message, "starred");

export const toggleCollapsed = (message: Message): void => toggle(message, "collapsed");
