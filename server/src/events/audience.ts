/**
 * Who hears of an event. A few terms that do not grow with the number of people, resolved on the delivering node
 * against the people who have a queue there; whoever any term names hears of it, unless excepted.
 */
export interface Audience {
  everyone?: true;
  nonGuests?: true;
  administrators?: true;
  /** Those whose role is one of these. */
  roles?: readonly number[];
  users?: number[];
  /**
   * Subscribers of a channel: those whose `received` range holds the message id. For a message that is its own id; for
   * other events the newest id at that time, so that a queue read later, or elsewhere, gives the same answer.
   */
  channel?: { id: number; at: number };
  /**
   * Those who hear of what happens to a message of a channel after it was sent; `at` as above. Where history is
   * protected: subscribers who were sent it. Where subscribers share the history: those. Where it is public: those, and
   * whoever was sent it and is no guest.
   */
  message?: {
    id: number;
    channel: number;
    at: number;
    history: History;
    /** Of a message that was moved here: the channel it was sent to, and the newest id when it arrived. */
    moved?: { origin: number; entered: number };
  };
  /** Those who hear of one of several messages of a channel; which of them, the event's shape decides. */
  messages?: { channel: number; at: number; history: History; origins?: number[] };
  /** The channel is public: queues that asked for all public channels hear of it too. */
  publicChannel?: true;
  except?: number[];
  /** Whatever their role. */
  exceptBots?: true;
}

/** Who may see what was said before they came. */
export type History = "protected" | "shared" | "public";

export const toEveryone: Audience = { everyone: true };
export const toNonGuests: Audience = { nonGuests: true };
export const toUser = (userId: number): Audience => ({ users: [userId] });
export const toUsers = (userIds: number[]): Audience => ({ users: userIds });
