/**
 * Who hears of an event. A few terms that do not grow with the number of people, resolved on the delivering node
 * against the people who have a queue there; whoever any term names hears of it, unless excepted.
 */
export interface Audience {
  everyone?: true;
  nonGuests?: true;
  administrators?: true;
  users?: number[];
  /**
   * Subscribers of a channel: those whose `received` range holds the message id. For a message that is its own id; for
   * other events the newest id at that time, so that a queue read later, or elsewhere, gives the same answer.
   */
  channel?: { id: number; at: number };
  /** The channel is public: queues that asked for all public channels hear of it too. */
  publicChannel?: true;
  except?: number[];
}

export const toEveryone: Audience = { everyone: true };
export const toNonGuests: Audience = { nonGuests: true };
export const toUser = (userId: number): Audience => ({ users: [userId] });
export const toUsers = (userIds: number[]): Audience => ({ users: userIds });
