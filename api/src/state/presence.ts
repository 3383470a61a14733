import type { z } from "zod";
import type { LegacyPresence, ModernPresence, presenceEvent } from "../presence.ts";
import { change, type FollowedState } from "./followed-state.ts";

/** Events only report users who come online; clients poll for the rest. */
export function applyPresenceEvent(state: FollowedState, event: z.output<typeof presenceEvent>): FollowedState {
  return change(state, "presences", (presences) => {
    const { user_id = 0, presence } = event;
    if (!presence) return { ...(presences as Record<string, ModernPresence>), ...event.presences }; // as asked for
    const { website } = presence;
    if (event.email !== undefined) {
      const { pushable: _, ...aggregated } = website;
      return { ...(presences as Record<string, LegacyPresence>), [event.email]: { aggregated, website } }; // as asked for
    }
    const slim = presences as Record<string, ModernPresence>; // as asked for
    const { timestamp, status } = website;
    const before = slim[user_id];
    const active = status === "active" ? timestamp : before?.active_timestamp;
    return {
      ...slim,
      [user_id]: { idle_timestamp: timestamp, ...(active === undefined ? {} : { active_timestamp: active }) },
    };
  });
}
