/**
 * Applies an event to the state that a client keeps. The result equals the state of a fresh registration; our tests use
 * this function to check that the server keeps this promise.
 */
import type { Event } from "./events.ts";
import { applyBotEvent, followDefaultChannels } from "./state/bots.ts";
import { applyChannelFolderEvent } from "./state/channel-folders.ts";
import { applyChannelEvent } from "./state/channels.ts";
import { applyDraftEvent } from "./state/drafts.ts";
import { change, type RegistrationOptions, type FollowedState } from "./state/followed-state.ts";
import { applyDeleteEvent, applyFlagEvent, applyMessageEvent, applyUpdateEvent } from "./state/messages.ts";
import { followOwnPermissions } from "./state/own-permissions.ts";
import { applyPresenceEvent } from "./state/presence.ts";
import { applyRealmDomainEvent } from "./state/realm-domains.ts";
import { applyRealmEvent } from "./state/realm.ts";
import { applyScheduledMessageEvent } from "./state/scheduled-messages.ts";
import { applyNavigationViewEvent } from "./state/navigation-views.ts";
import { applyReminderEvent } from "./state/reminders.ts";
import { applySavedSnippetEvent } from "./state/saved-snippets.ts";
import { applySettingEvent } from "./state/settings.ts";
import { applyStatusEvent } from "./state/status.ts";
import { applySubscriptionEvent } from "./state/subscriptions.ts";
import { applyUserGroupEvent } from "./state/user-groups.ts";
import { applyUserTopicEvent, dropUserTopics, renameMutedChannel } from "./state/user-topics.ts";
import { applyProfileFieldsEvent, applyUserEvent } from "./state/users.ts";

export function applyEvent(state: FollowedState, event: Event, options: RegistrationOptions = {}): FollowedState {
  switch (event.type) {
    case "heartbeat":
    // These are not part of the state.
    case "reaction":
    case "submessage":
    // Invitations, files, exports, keys and the audit log are fetched on demand.
    case "api_key":
    case "audit_log":
    case "invites_changed":
    case "attachment":
    case "realm_export":
    case "realm_export_consent":
    case "realm_import":
    // Each client decides itself when to reload its code.
    case "web_reload_client":
      return state;
    case "message":
      return applyMessageEvent(state, event);
    case "update_message":
      return applyUpdateEvent(state, event);
    case "delete_message":
      return applyDeleteEvent(state, event);
    case "update_message_flags":
      return applyFlagEvent(state, event);
    case "subscription":
      return applySubscriptionEvent(state, event);
    case "stream": {
      const next = renameMutedChannel(followDefaultChannels(applyChannelEvent(state, event, options), event), event);
      return event.op === "delete" ? dropUserTopics(next, event.stream_ids) : next;
    }
    case "channel_folder":
      return applyChannelFolderEvent(state, event);
    case "default_streams":
      return change(state, "realm_default_streams", () => event.default_streams);
    case "default_stream_groups":
      return change(state, "realm_default_stream_groups", () => event.default_stream_groups);
    case "realm_user":
      return followOwnPermissions(applyUserEvent(state, event));
    case "custom_profile_fields":
      return applyProfileFieldsEvent(state, event);
    case "realm_bot":
      return applyBotEvent(state, event);
    case "user_group":
      return followOwnPermissions(applyUserGroupEvent(state, event));
    case "realm":
      return followOwnPermissions(applyRealmEvent(state, event));
    case "realm_domains":
      return applyRealmDomainEvent(state, event);
    case "realm_emoji":
      return change(state, "realm_emoji", () => event.realm_emoji);
    case "realm_linkifiers":
      return change(state, "realm_linkifiers", () => event.realm_linkifiers);
    case "realm_playgrounds":
      return change(state, "realm_playgrounds", () => event.realm_playgrounds);
    case "restart":
      return change(state, "server_generation", () => event.server_generation);
    case "scheduled_messages":
      return applyScheduledMessageEvent(state, event);
    case "user_settings":
    case "update_display_settings":
    case "update_global_notifications":
    case "realm_user_settings_defaults":
      return applySettingEvent(state, event);
    case "onboarding_steps":
      return change(state, "onboarding_steps", () => event.onboarding_steps);
    case "alert_words":
      return change(state, "alert_words", () => event.alert_words);
    case "reminders":
      return applyReminderEvent(state, event);
    case "navigation_view":
      return applyNavigationViewEvent(state, event);
    case "saved_snippets":
      return applySavedSnippetEvent(state, event);
    case "muted_users":
      return change(state, "muted_users", () => event.muted_users);
    case "user_topic":
    case "muted_topics":
      return applyUserTopicEvent(state, event);
    case "user_status":
      return applyStatusEvent(state, event);
    case "drafts":
      return applyDraftEvent(state, event);
    case "presence":
      return applyPresenceEvent(state, event);
    case "typing":
    case "typing_edit_message":
      return state;
  }
}
