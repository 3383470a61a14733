/**
 * Triggers every kind of event of the protocol: sets up an organization, and has a short scenario for each, named by the
 * events that it causes.
 */
import { addAlertWords } from "@skein/api/alert-words.ts";
import { createApiKey, deleteApiKey, updateApiKey } from "@skein/api/api-keys.ts";
import { createBot, updateBot } from "@skein/api/bots.ts";
import { createChannelFolder, reorderChannelFolders, updateChannelFolder } from "@skein/api/channel-folders.ts";
import { archiveChannel, updateChannel } from "@skein/api/channels.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { addDefaultChannel, createDefaultChannelGroup } from "@skein/api/default-channels.ts";
import { deleteMessage } from "@skein/api/deletion.ts";
import { createDrafts, deleteDraft, editDraft } from "@skein/api/drafts.ts";
import { updateMessage } from "@skein/api/edits.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import { createExport } from "@skein/api/exports.ts";
import { createImport } from "@skein/api/imports.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { createInvitationLink } from "@skein/api/invitations.ts";
import { addLinkifier } from "@skein/api/linkifiers.ts";
import { muteUser } from "@skein/api/muted-users.ts";
import { addNavigationView, editNavigationView, removeNavigationView } from "@skein/api/navigation-views.ts";
import { finishOnboardingStep } from "@skein/api/onboarding.ts";
import { addPlayground } from "@skein/api/playgrounds.ts";
import { createProfileField } from "@skein/api/profile-fields.ts";
import { addReaction, removeReaction } from "@skein/api/reactions.ts";
import { addRealmDomain, removeRealmDomain, updateRealmDomain } from "@skein/api/realm-domains.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { createReminder, deleteReminder } from "@skein/api/reminders.ts";
import { createSavedSnippet, deleteSavedSnippet } from "@skein/api/saved-snippets.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  updateScheduledMessage,
} from "@skein/api/scheduled-messages.ts";
import { updateDefaultSettings, updateSettings } from "@skein/api/settings.ts";
import { updateStatus } from "@skein/api/status.ts";
import { addSubmessage } from "@skein/api/submessages.ts";
import { subscribe, unsubscribe, updateSubscriptionSettings } from "@skein/api/subscriptions.ts";
import { setEditTypingStatus, setTypingStatus } from "@skein/api/typing.ts";
import { getAttachments, removeAttachment } from "@skein/api/uploads.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@skein/api/user-groups.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { createUser, updateUser } from "@skein/api/users.ts";
import { announceTo, ownAnnouncement } from "../src/domain/organization/releases/announce.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import { uploadAs } from "./files.ts";
import { groupId } from "./groups.ts";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "./realm.ts";
import { picture } from "./sum/picture.ts";
import { channelOf, sendToChannel, type TestChannel } from "./actions.ts";

export interface World {
  realm: TestRealm;
  owner: TestUser;
  hamlet: TestUser;
  guest: TestUser;
  channel: TestChannel;
  /** Queues of all users, and of different kinds of clients. */
  queues: TestQueue[];
}

export async function newWorld(): Promise<World> {
  const realm = await newRealm();
  const owner = realm.admin;
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const channel = await channelOf([owner, hamlet, guest], "stage");
  const queues = [
    await owner.register(),
    await hamlet.register(),
    await guest.register(),
    await oldQueue(owner),
    await browserQueue(owner),
  ];
  return { realm, owner, hamlet, guest, channel, queues };
}

/** The capabilities of an old client. */
const oldQueue = (user: TestUser): Promise<TestQueue> =>
  user.register(
    ["muted_topics", "update_display_settings", "update_global_notifications", "user_group", "stream"],
    [],
    { client_capabilities: { notification_settings_null: false } },
  );

/** A client whose code comes from the server. */
async function browserQueue(user: TestUser): Promise<TestQueue> {
  const queue = await user.register(["web_reload_client", "stream"]);
  const { db } = user.realm.ctx;
  const { options } = await db
    .selectFrom("event_queues")
    .select("options")
    .where("id", "=", queue.id)
    .executeTakeFirstOrThrow();
  const asBrowser = JSON.stringify({ ...(options as object), client_name: "website" });
  await db.updateTable("event_queues").set({ options: asBrowser }).where("id", "=", queue.id).execute();
  return queue;
}

const done = async <E extends Endpoint>(user: TestUser, endpoint: E, params: ArgumentsOf<E>) =>
  success(await user.call(endpoint, params));

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const draft = { type: "", to: [] as number[], topic: "", content: "words" } as const;

/** Scenarios by the event types and ops that they cause. */
export const stories: [string[], (world: World) => Promise<unknown>][] = [
  [["alert_words"], ({ owner }) => done(owner, addAlertWords, { alert_words: ["poison"] })],
  [
    ["user_settings update", "update_display_settings", "update_global_notifications"],
    ({ owner }) => done(owner, updateSettings, { color_scheme: 2, enable_sounds: false }),
  ],
  [["realm_export_consent"], ({ hamlet }) => done(hamlet, updateSettings, { allow_private_data_export: true })],
  [["realm_export"], ({ owner }) => done(owner, createExport, {})],
  [
    ["api_key add", "api_key update", "api_key remove"],
    async ({ owner }) => {
      const { id: key_id } = await done(owner, createApiKey, { name: "script", scopes: ["files"] });
      await done(owner, updateApiKey, { key_id, name: "program" });
      await done(owner, deleteApiKey, { key_id });
    },
  ],
  [["realm_import"], ({ owner }) => done(owner, createImport, { file_name: "export.zip", size: 1024 })],
  [["onboarding_steps"], ({ owner }) => done(owner, finishOnboardingStep, { onboarding_step: "intro_resolve_topic" })],
  [["user_status"], ({ hamlet }) => done(hamlet, updateStatus, { status_text: "thinking" })],
  [["muted_users"], ({ owner, guest }) => done(owner, muteUser, { muted_user_id: guest.id })],
  [
    ["user_topic", "muted_topics"],
    ({ owner, channel }) =>
      done(owner, updateUserTopic, { stream_id: channel.id, topic: "noise", visibility_policy: 1 }),
  ],
  [
    ["drafts add", "drafts update", "drafts remove"],
    async ({ owner }) => {
      const [draft_id = 0] = (await done(owner, createDrafts, { drafts: [draft] })).ids;
      await done(owner, editDraft, { draft_id, draft: { ...draft, content: "other words" } });
      await done(owner, deleteDraft, { draft_id });
    },
  ],
  [
    ["channel_folder add", "channel_folder update", "channel_folder reorder"],
    async ({ owner }) => {
      const { channel_folder_id } = await done(owner, createChannelFolder, { name: "Company" });
      await done(owner, updateChannelFolder, { channel_folder_id, name: "Everybody" });
      await done(owner, reorderChannelFolders, { order: [channel_folder_id] });
    },
  ],
  [
    ["saved_snippets add", "saved_snippets remove"],
    async ({ owner }) => {
      const { saved_snippet_id } = await done(owner, createSavedSnippet, { title: "Hello", content: "words" });
      await done(owner, deleteSavedSnippet, { saved_snippet_id });
    },
  ],
  [
    ["reminders add", "reminders remove"],
    async ({ owner, channel }) => {
      const message_id = await sendToChannel(owner, channel);
      const { reminder_id } = await done(owner, createReminder, {
        message_id,
        scheduled_delivery_timestamp: inAnHour(),
      });
      await done(owner, deleteReminder, { reminder_id });
    },
  ],
  [
    ["navigation_view add", "navigation_view update", "navigation_view remove"],
    async ({ owner }) => {
      await done(owner, addNavigationView, { fragment: "inbox", is_pinned: false });
      await done(owner, editNavigationView, { fragment: "inbox", is_pinned: true });
      await done(owner, removeNavigationView, { fragment: "inbox" });
    },
  ],
  [
    ["scheduled_messages add", "scheduled_messages update", "scheduled_messages remove"],
    async ({ owner, channel }) => {
      const message = { type: "channel", to: channel.id, topic: "later", content: "words" } as const;
      const { scheduled_message_id } = await done(owner, createScheduledMessage, {
        ...message,
        scheduled_delivery_timestamp: inAnHour(),
      });
      await done(owner, updateScheduledMessage, { scheduled_message_id, content: "other words" });
      await done(owner, deleteScheduledMessage, { scheduled_message_id });
    },
  ],
  [
    ["message", "update_message", "reaction add", "reaction remove", "delete_message"],
    async ({ owner, channel }) => {
      const message_id = await sendToChannel(owner, channel);
      await done(owner, updateMessage, { message_id, content: "other words" });
      await done(owner, addReaction, { message_id, emoji_name: "tada" });
      await done(owner, removeReaction, { message_id, emoji_name: "tada" });
      await done(owner, deleteMessage, { message_id });
    },
  ],
  [
    ["submessage"],
    async ({ owner, channel }) => {
      const message_id = await sendToChannel(owner, channel, { content: "/poll lunch?" });
      const content = '{"type":"new_option","idx":1,"option":"soup"}';
      await done(owner, addSubmessage, { message_id, msg_type: "widget", content });
    },
  ],
  [
    ["update_message_flags add", "update_message_flags remove"],
    async ({ owner, channel }) => {
      const messages = [await sendToChannel(owner, channel)];
      await done(owner, updateMessageFlags, { messages, op: "add", flag: "starred" });
      await done(owner, updateMessageFlags, { messages, op: "remove", flag: "starred" });
    },
  ],
  [
    ["typing start", "typing stop"],
    async ({ hamlet, owner }) => {
      for (const op of ["start", "stop"] as const) await done(hamlet, setTypingStatus, { op, to: [owner.id] });
    },
  ],
  [
    ["typing_edit_message start", "typing_edit_message stop"],
    async ({ hamlet, channel }) => {
      const message_id = await sendToChannel(hamlet, channel);
      for (const op of ["start", "stop"] as const) await done(hamlet, setEditTypingStatus, { op, message_id });
    },
  ],
  [
    ["attachment add", "attachment update", "attachment remove"],
    async ({ owner, channel }) => {
      await sendToChannel(owner, channel, { content: `[note](${await uploadAs(owner)})` });
      const [attachment] = (await done(owner, getAttachments, {})).attachments;
      await done(owner, removeAttachment, { attachment_id: attachment?.id ?? 0 });
    },
  ],
  [
    [
      "subscription add",
      "subscription update",
      "subscription remove",
      "subscription peer_add",
      "subscription peer_remove",
    ],
    async ({ owner, hamlet }) => {
      const name = "wings";
      await channelOf([owner], name);
      await done(hamlet, subscribe, { subscriptions: [{ name }] });
      const { id } = await channelOf([hamlet], name);
      const setting = { stream_id: id, property: "pin_to_top", value: true } as const;
      await done(hamlet, updateSubscriptionSettings, { subscription_data: [setting] });
      await done(hamlet, unsubscribe, { subscriptions: [name] });
    },
  ],
  [
    ["stream create", "stream update", "stream delete", "default_streams", "default_stream_groups"],
    async ({ owner }) => {
      const { id: stream_id, name } = await channelOf([owner], "gallery");
      await done(owner, updateChannel, { stream_id, description: "up there" });
      await done(owner, addDefaultChannel, { stream_id });
      const foyer = await channelOf([owner], "foyer");
      await done(owner, createDefaultChannelGroup, { group_name: name, description: "", stream_names: [foyer.name] });
      await done(owner, archiveChannel, { stream_id });
    },
  ],
  [
    [
      "user_group add",
      "user_group update",
      "user_group add_members",
      "user_group remove_members",
      "user_group add_subgroups",
      "user_group remove_subgroups",
      "user_group remove",
    ],
    async ({ owner, hamlet }) => {
      const newGroup = async (name: string) =>
        (await done(owner, createUserGroup, { name, description: "", members: [] })).group_id;
      const [user_group_id, inner] = [await newGroup("players"), await newGroup("clowns")];
      await done(owner, updateUserGroup, { user_group_id, description: "of plays" });
      await done(owner, updateUserGroupMembers, { user_group_id, add: [hamlet.id] });
      await done(owner, updateUserGroupMembers, { user_group_id, delete: [hamlet.id] });
      await done(owner, updateUserGroupSubgroups, { user_group_id, add: [inner] });
      await done(owner, updateUserGroupSubgroups, { user_group_id, delete: [inner] });
      await done(owner, deactivateUserGroup, { user_group_id });
    },
  ],
  [
    ["realm_user add", "realm_user update"],
    async ({ realm, owner, hamlet }) => {
      const person = { email: `new@${realm.host}`, full_name: "New", password: "correct horse battery" };
      await done(owner, createUser, person);
      await done(owner, updateUser, { user_id: hamlet.id, full_name: "Hamlet" });
    },
  ],
  [
    ["realm_bot add", "realm_bot update", "realm_bot delete"],
    async ({ owner, hamlet }) => {
      const { user_id: bot_id } = await done(hamlet, createBot, { full_name: "Robot", short_name: "robot" });
      await done(hamlet, updateBot, { bot_id, full_name: "Machine" });
      await done(owner, updateBot, { bot_id, bot_owner_id: owner.id });
    },
  ],
  [["custom_profile_fields"], ({ owner }) => done(owner, createProfileField, { field_type: 1, name: "Part" })],
  [["invites_changed"], ({ owner }) => done(owner, createInvitationLink, { stream_ids: [] })],
  [
    ["realm_linkifiers"],
    ({ owner }) => done(owner, addLinkifier, { pattern: "#(?P<id>[0-9]+)", url_template: "https://example.com/{id}" }),
  ],
  [
    ["realm_playgrounds"],
    ({ owner }) =>
      done(owner, addPlayground, {
        name: "Pad",
        pygments_language: "Python",
        url_template: "https://example.com/{code}",
      }),
  ],
  [["realm_emoji update"], ({ owner }) => owner.upload("/realm/emoji/skull", { "skull.png": picture })],
  [
    ["realm_domains add", "realm_domains change", "realm_domains remove"],
    async ({ owner }) => {
      const domain = "elsinore.example";
      await done(owner, addRealmDomain, { domain, allow_subdomains: false });
      await done(owner, updateRealmDomain, { domain, allow_subdomains: true });
      await done(owner, removeRealmDomain, { domain });
    },
  ],
  [
    ["realm update", "realm update_dict"],
    ({ owner }) => done(owner, updateRealm, { name: "Elsinore", allow_message_editing: false }),
  ],
  [
    ["realm_user_settings_defaults update"],
    ({ owner }) => done(owner, updateDefaultSettings, { enable_sounds: false }),
  ],
  [
    ["restart", "web_reload_client"],
    async ({ realm }) => {
      const { db } = realm.ctx;
      await db.updateTable("server_generations").set({ release: "0.0.0" }).where("realm_id", "=", realm.id).execute();
      await transaction(db, "test", (tx) => announceTo(tx, realm.id, ownAnnouncement(false)));
    },
  ],
  // This comes last, because guests no longer get events about users they cannot see.
  [
    ["realm_user remove"],
    async ({ realm, owner }) => {
      const members = await groupId(realm, "role:members");
      await done(owner, updateRealm, { can_access_all_users_group: { new: members } });
    },
  ],
];
