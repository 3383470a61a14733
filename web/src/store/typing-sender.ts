/** Sends typing notifications: when typing starts, repeatedly while it continues, and when it ends. */
import { setTypingStatus } from "@skein/api/routes/typing.ts";
import { call } from "../api/call.ts";
import type { Conversation } from "./conversations.ts";
import { part } from "./state.ts";

/** A short delay keeps requests away from the first keystrokes; text that is sent or deleted at once needs none. */
const beginMilliseconds = 300;

type Timer = ReturnType<typeof setTimeout>;

export class TypingSender {
  readonly #conversation: Conversation;
  #sentAt = 0;
  #beginning: Timer | undefined;
  #ending: Timer | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  changed(text: string): void {
    if (text.trim() === "" || !this.#isAllowed()) {
      this.stop();
      return;
    }
    if (Date.now() - this.#sentAt > (part("server_typing_started_wait_period_milliseconds").peek() ?? 10_000))
      this.#beginning ??= setTimeout(() => this.#begin(), beginMilliseconds);
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.stop(), part("server_typing_stopped_wait_period_milliseconds").peek() ?? 5000);
  }

  #begin(): void {
    this.#beginning = undefined;
    this.#sentAt = Date.now();
    this.#send("start");
  }

  stop(): void {
    clearTimeout(this.#beginning);
    this.#beginning = undefined;
    clearTimeout(this.#ending);
    if (this.#sentAt === 0) return;
    this.#sentAt = 0;
    this.#send("stop");
  }

  #isAllowed(): boolean {
    const settings = part("user_settings").peek();
    if (this.#conversation.kind === "topic") return settings?.send_stream_typing_notifications ?? false;
    return this.#conversation.userIds.length > 0 && (settings?.send_private_typing_notifications ?? false);
  }

  #send(op: "start" | "stop"): void {
    const conversation = this.#conversation;
    const to =
      conversation.kind === "topic"
        ? { type: "stream" as const, stream_id: conversation.channelId, topic: conversation.topic }
        : { type: "direct" as const, to: [...conversation.userIds] };
    // A lost typing notification does no harm.
    call(setTypingStatus, { op, ...to }).catch(() => undefined);
  }
}
