/** Tells others that one is writing: when it begins, now and then while it goes on, and when it ends. */
import { setTypingStatus } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import type { Conversation } from "./conversations.ts";
import { part } from "./state.ts";

/** The first keys are not held up by a request, and what is sent or taken back at once needs none. */
const beginMilliseconds = 300;

type Timer = ReturnType<typeof setTimeout>;

export class TypingSender {
  readonly #conversation: Conversation;
  #toldAt = 0;
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
    if (Date.now() - this.#toldAt > (part("server_typing_started_wait_period_milliseconds").peek() ?? 10_000))
      this.#beginning ??= setTimeout(() => this.#begin(), beginMilliseconds);
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.stop(), part("server_typing_stopped_wait_period_milliseconds").peek() ?? 5000);
  }

  #begin(): void {
    this.#beginning = undefined;
    this.#toldAt = Date.now();
    this.#tell("start");
  }

  stop(): void {
    clearTimeout(this.#beginning);
    this.#beginning = undefined;
    clearTimeout(this.#ending);
    if (this.#toldAt === 0) return;
    this.#toldAt = 0;
    this.#tell("stop");
  }

  #isAllowed(): boolean {
    const settings = part("user_settings").peek();
    if (this.#conversation.kind === "topic") return settings?.send_stream_typing_notifications ?? false;
    return this.#conversation.userIds.length > 0 && (settings?.send_private_typing_notifications ?? false);
  }

  #tell(op: "start" | "stop"): void {
    const conversation = this.#conversation;
    const to =
      conversation.kind === "topic"
        ? { type: "stream" as const, stream_id: conversation.channelId, topic: conversation.topic }
        : { type: "direct" as const, to: [...conversation.userIds] };
    // Nobody misses a notice that did not arrive.
    call(setTypingStatus, { op, ...to }).catch(() => undefined);
  }
}
