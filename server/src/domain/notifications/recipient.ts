import type { Notifications } from "./rule.ts";

/** Somebody who is to be told of a message. */
export interface Recipient {
  message_id: number;
  user_id: number;
  realm_id: number;
  /** Their own, as they are stored. */
  settings: unknown;
  due: Notifications;
}
