/**
 * Who receives an event: a few terms whose size does not depend on the number of users. The delivering node resolves them
 * against the users who have a queue there; a user matched by any term receives the event, unless excepted.
 */
export interface Audience {
  everyone?: true;
  nonGuests?: true;
  administrators?: true;
  /** Users with one of these roles. */
  roles?: readonly number[];
  users?: number[];
  /**
   * Subscribers of a channel whose `received` range contains the message id. For a message event that is its own id; for
   * other events it is the newest id at that time, so that a queue read later, or elsewhere, gives the same result.
   */
  channel?: { id: number; at: number };
  /**
   * Users who receive events about a channel message after it was sent; `at` as above. With protected history: subscribers
   * who received the message. With history shared with subscribers: all subscribers. With public history: all subscribers,
   * and non-guests who received the message.
   */
  message?: {
    id: number;
    channel: number;
    at: number;
    history: History;
    /** For a message that was moved here: the channel it was sent to, and the newest id when it was moved. */
    moved?: { origin: number; entered: number };
  };
  /** Users who receive events about at least one of several channel messages; the event's shape decides which. */
  messages?: { channel: number; at: number; history: History; origins?: number[] };
  /** The channel is public: queues for all public channels receive the event as well. */
  publicChannel?: true;
  except?: number[];
  /** Excludes bots of any role. */
  exceptBots?: true;
}

/** Who may see messages that were sent before they joined. */
export type History = "protected" | "shared" | "public";

export const toEveryone: Audience = { everyone: true };
export const toNonGuests: Audience = { nonGuests: true };
export const toUser = (userId: number): Audience => ({ users: [userId] });
export const toUsers = (userIds: number[]): Audience => ({ users: userIds });
