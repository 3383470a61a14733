/**
 * State before + event = state after, as a client keeps it. A fresh registration gives the same: our tests hold the
 * server to that with this very function.
 */
import type { Event } from "./events.ts";
import { applyChannelEvent } from "./state/channels.ts";
import { change, type Asked, type FollowedState } from "./state/followed-state.ts";
import { applyFlagEvent, applyMessageEvent } from "./state/messages.ts";
import { applyRealmEvent } from "./state/realm.ts";
import { applySettingEvent } from "./state/settings.ts";
import { applySubscriptionEvent } from "./state/subscriptions.ts";
import { applyUserGroupEvent } from "./state/user-groups.ts";
import { applyUserEvent } from "./state/users.ts";

export function applyEvent(state: FollowedState, event: Event, asked: Asked = {}): FollowedState {
  switch (event.type) {
    case "heartbeat":
      return state;
    case "message":
      return applyMessageEvent(state, event);
    case "update_message_flags":
      return applyFlagEvent(state, event);
    case "subscription":
      return applySubscriptionEvent(state, event);
    case "stream":
      return applyChannelEvent(state, event, asked);
    case "default_streams":
      return change(state, "realm_default_streams", () => event.default_streams);
    case "realm_user":
      return applyUserEvent(state, event);
    case "user_group":
      return applyUserGroupEvent(state, event);
    case "realm":
      return applyRealmEvent(state, event);
    case "realm_linkifiers":
      return change(state, "realm_linkifiers", () => event.realm_linkifiers);
    case "user_settings":
    case "update_display_settings":
    case "update_global_notifications":
      return applySettingEvent(state, event);
  }
}
