import type { Notifications } from "./rule.ts";

/** A user to be notified of a message. */
export interface Recipient {
  message_id: number;
  user_id: number;
  realm_id: number;
  /** The user's settings, as stored. */
  settings: unknown;
  due: Notifications;
}
