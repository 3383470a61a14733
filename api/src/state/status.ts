import type { z } from "zod";
import type { UserStatus, userStatusEvent } from "../status.ts";
import { change, type FollowedState } from "./followed-state.ts";

export function applyStatusEvent(state: FollowedState, event: z.output<typeof userStatusEvent>): FollowedState {
  return change(state, "user_status", (statuses) => {
    const { [event.user_id]: before = {}, ...others } = statuses;
    const after = merge(before, event);
    return Object.keys(after).length > 0 ? { ...others, [event.user_id]: after } : others;
  });
}

/** Empty and false fields are absent. */
function merge(before: UserStatus, event: z.output<typeof userStatusEvent>): UserStatus {
  const { status_text = before.status_text, away = before.away } = event;
  const { emoji_name, emoji_code, reaction_type } = event.emoji_name === undefined ? before : event;
  return {
    ...(status_text ? { status_text } : {}),
    ...(emoji_name ? { emoji_name, emoji_code, reaction_type } : {}),
    ...(away ? { away } : {}),
  };
}
