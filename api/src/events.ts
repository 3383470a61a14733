/** Every event a queue can deliver. */
import { z } from "zod";
import { alertWordsEvent } from "./alert-words.ts";
import { apiKeyEvents } from "./api-keys.ts";
import { auditEvents } from "./audit-log.ts";
import { realmBotEvents } from "./bots.ts";
import { channelFolderEvents } from "./channel-folders.ts";
import { channelEvents } from "./channels.ts";
import { defaultChannelEvents } from "./default-channels.ts";
import { deleteMessageEvent } from "./deletion.ts";
import { draftEvents } from "./drafts.ts";
import { customEmojiEvent } from "./emoji.ts";
import { exportEvents } from "./exports.ts";
import { importEvents } from "./imports.ts";
import { flagEvents } from "./flags.ts";
import { invitationsEvent } from "./invitations.ts";
import { linkifiersEvent } from "./linkifiers.ts";
import { messageUpdateEvent } from "./message-updates.ts";
import { messageEvent } from "./messages.ts";
import { mutedUsersEvent } from "./muted-users.ts";
import { navigationViewEvents } from "./navigation-views.ts";
import { onboardingEvent } from "./onboarding.ts";
import { playgroundsEvent } from "./playgrounds.ts";
import { presenceEvent } from "./presence.ts";
import { profileFieldsEvent } from "./profile-fields.ts";
import { reactionEvents } from "./reactions.ts";
import { realmDomainEvents } from "./realm-domains.ts";
import { realmEvents } from "./realm.ts";
import { releaseEvents } from "./releases.ts";
import { reminderEvents } from "./reminders.ts";
import { savedSnippetEvents } from "./saved-snippets.ts";
import { scheduledMessageEvents } from "./scheduled-messages.ts";
import { settingEvents } from "./settings.ts";
import { userStatusEvent } from "./status.ts";
import { submessageEvent } from "./submessages.ts";
import { subscriptionEvents } from "./subscriptions.ts";
import { editTypingEvent, typingEvent } from "./typing.ts";
import { attachmentEvents } from "./uploads.ts";
import { userGroupEvents } from "./user-groups.ts";
import { userTopicEvents } from "./user-topics.ts";
import { realmUserEvents } from "./users.ts";

export const heartbeatEvent = z.strictObject({ type: z.literal("heartbeat") });

export const eventSchemas = [
  heartbeatEvent,
  messageEvent,
  messageUpdateEvent,
  deleteMessageEvent,
  ...reactionEvents,
  submessageEvent,
  ...flagEvents,
  ...subscriptionEvents,
  ...channelEvents,
  ...channelFolderEvents,
  ...defaultChannelEvents,
  ...realmUserEvents,
  profileFieldsEvent,
  ...realmBotEvents,
  ...userGroupEvents,
  ...realmEvents,
  ...realmDomainEvents,
  invitationsEvent,
  linkifiersEvent,
  playgroundsEvent,
  customEmojiEvent,
  ...exportEvents,
  ...importEvents,
  ...releaseEvents,
  ...apiKeyEvents,
  ...auditEvents,
  ...settingEvents,
  onboardingEvent,
  alertWordsEvent,
  ...savedSnippetEvents,
  mutedUsersEvent,
  ...scheduledMessageEvents,
  ...reminderEvents,
  ...navigationViewEvents,
  ...userTopicEvents,
  userStatusEvent,
  ...draftEvents,
  presenceEvent,
  typingEvent,
  editTypingEvent,
  ...attachmentEvents,
] as const;

/** An event as it is emitted. */
export const anyEvent = z.union(eventSchemas);
export type Event = z.output<typeof anyEvent>;
export type EventType = Event["type"];
export const eventTypeNames: ReadonlySet<EventType> = new Set(eventSchemas.map((schema) => schema.shape.type.value));

/** An event as a queue delivers it: with its id. */
export type QueuedEvent = Event & { id: number };

const idField = { id: z.int().describe("The event's place in the queue's order.") };
// Mapping over a tuple loses its types; each member is the event's schema with an id.
export const queuedEvent = z.union(eventSchemas.map((schema) => schema.extend(idField))) as unknown as z.ZodType<
  QueuedEvent,
  QueuedEvent
>;
