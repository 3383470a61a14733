/**
 * The access rule of `access.ts`, decided without the database: who receives an event about messages of a channel, by the
 * ranges of message ids that a node holds for every user with a queue. Both rules change together;
 * access-model.test.ts compares them.
 */
import { roles } from "@skein/api/users.ts";
import type { Audience, History } from "../../events/audience.ts";
import { receives, type LiveUser, type MessageReach } from "../../events/live-users.ts";

function reachesOne({ id, channel, at, history, moved }: NonNullable<Audience["message"]>, user: LiveUser): boolean {
  const isSubscribed = receives(user, channel, at);
  if (history === "protected") return isSubscribed && receives(user, channel, moved?.entered ?? id);
  const wasSentIt = () => user.role !== roles.guest && receives(user, moved?.origin ?? channel, id);
  return isSubscribed || (history === "public" && wasSentIt());
}

/** Several messages of a channel that something happened to. */
export interface MessageBatch {
  channel: number;
  at: number;
  history: History;
  ids: number[];
  /** Those of them that were moved here; see Audience. */
  moved?: [id: number, origin: number, entered: number][];
}

export const toBatch = ({ channel, at, history, moved = [] }: MessageBatch): Audience => ({
  messages: { channel, at, history, origins: [...new Set(moved.map(([, origin]) => origin))] },
});

/** The messages of a batch that events may name to this user. */
export function visibleTo({ ids, moved = [], ...place }: MessageBatch, user: LiveUser): number[] {
  if (place.history !== "protected" && receives(user, place.channel, place.at)) return ids;
  const moves = new Map(moved.map(([id, origin, entered]) => [id, { moved: { origin, entered } }]));
  return ids.filter((id) => reachesOne({ ...place, id, ...moves.get(id) }, user));
}

function reachesAny(
  { channel, at, history, origins = [] }: NonNullable<Audience["messages"]>,
  user: LiveUser,
): boolean {
  if (receives(user, channel, at)) return true;
  return history === "public" && user.role !== roles.guest && [channel, ...origins].some((id) => user.channels.has(id));
}

export const messageReach: MessageReach = { one: reachesOne, any: reachesAny };
