/** Muting people, and no longer muting them. */
import { muteUser, unmuteUser } from "@skein/api/routes/muted-users.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { call } from "../api/call.ts";
import { perform } from "./operations.ts";
import { part } from "./state.ts";

export function mutePerson(userId: number, isMuted: boolean): void {
  const now = { id: userId, timestamp: Math.floor(Date.now() / 1000) };
  const eventFor = ({ muted_users = [] }: Pick<FollowedState, "muted_users">) => {
    const others = muted_users.filter(({ id }) => id !== userId);
    return { type: "muted_users" as const, muted_users: isMuted ? [...others, now] : others };
  };
  perform({
    key: `mute ${userId}`,
    event: eventFor({ muted_users: part("muted_users").peek() }),
    eventFor,
    isConfirmedBy: (event) =>
      event.type === "muted_users" && event.muted_users.some(({ id }) => id === userId) === isMuted,
    request: () => call(isMuted ? muteUser : unmuteUser, { muted_user_id: userId }),
  });
}
