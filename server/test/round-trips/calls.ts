/** A typical call of every endpoint, with its preconditions, which are created on a node that is not measured. */
import {
  createChannelFolder,
  getChannelFolders,
  reorderChannelFolders,
  updateChannelFolder,
} from "@skein/api/channel-folders.ts";
import { randomBytes } from "node:crypto";
import { addAlertWords, getAlertWords, removeAlertWords } from "@skein/api/alert-words.ts";
import {
  createIdentityProvider,
  deleteIdentityProvider,
  getIdentityProviders,
  syncIdentityProvider,
  testIdentityProvider,
  updateIdentityProvider,
} from "@skein/api/identity-providers.ts";
import {
  createApiKey,
  deleteApiKey,
  deleteUserApiKey,
  getApiKeys,
  getUserApiKeys,
  updateApiKey,
} from "@skein/api/api-keys.ts";
import { fetchApiKey, regenerateApiKey } from "@skein/api/authentication.ts";
import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestinations,
  updateAuditDestination,
} from "@skein/api/audit-destinations.ts";
import { getAuditActions, getAuditLog } from "@skein/api/audit-log.ts";
import {
  createScimToken,
  deleteScimToken,
  getScimSettings,
  getScimTokens,
  updateScimSettings,
} from "@skein/api/provisioning.ts";
import { removeOwnAvatar, uploadOwnAvatar } from "@skein/api/avatars.ts";
import { getBotStorage, removeBotStorage, updateBotStorage } from "@skein/api/bot-storage.ts";
import { createBot, deactivateBot, getBotApiKey, getBots, regenerateBotApiKey, updateBot } from "@skein/api/bots.ts";
import {
  archiveChannel,
  createChannel,
  getChannel,
  getChannelEmailAddress,
  getChannelId,
  getChannels,
  getSubscribers,
  updateChannel,
} from "@skein/api/channels.ts";
import { encodeCall, type ArgumentsOf } from "@skein/api/client.ts";
import {
  addDefaultChannel,
  createDefaultChannelGroup,
  removeDefaultChannel,
  removeDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
} from "@skein/api/default-channels.ts";
import { deleteMessage, deleteTopic } from "@skein/api/deletion.ts";
import { createDrafts, deleteDraft, editDraft, getDrafts } from "@skein/api/drafts.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import { deactivateCustomEmoji, getCustomEmoji, uploadCustomEmoji } from "@skein/api/emoji.ts";
import type { Endpoint } from "@skein/api/endpoint.ts";
import {
  cancelImport,
  createImport,
  getImportPlan,
  getImportReport,
  getImports,
  inspectImport,
  runImport,
  updateImportPlan,
} from "@skein/api/imports.ts";
import { createExport, getExportConsents, getExports, removeExport } from "@skein/api/exports.ts";
import { getMessages, matchNarrow } from "@skein/api/fetch-messages.ts";
import {
  markAllAsRead,
  markChannelAsRead,
  markTopicAsRead,
  updateMessageFlags,
  updateMessageFlagsForNarrow,
} from "@skein/api/flags.ts";
import {
  createInvitationLink,
  getInvitations,
  resendInvitation,
  revokeInvitation,
  revokeInvitationLink,
  sendInvitations,
} from "@skein/api/invitations.ts";
import {
  addLinkifier,
  getLinkifiers,
  removeLinkifier,
  reorderLinkifiers,
  updateLinkifier,
} from "@skein/api/linkifiers.ts";
import { getMessage, renderMessage, sendMessage } from "@skein/api/messages.ts";
import { muteUser, unmuteUser } from "@skein/api/muted-users.ts";
import {
  addNavigationView,
  editNavigationView,
  getNavigationViews,
  removeNavigationView,
} from "@skein/api/navigation-views.ts";
import { finishOnboardingStep } from "@skein/api/onboarding.ts";
import { addPlayground, removePlayground } from "@skein/api/playgrounds.ts";
import { getPresence, getUserPresence, updatePresence } from "@skein/api/presence.ts";
import {
  addApnsToken,
  addFcmToken,
  addWebPushSubscription,
  getWebPushKey,
  removeApnsToken,
  removeFcmToken,
  removeWebPushSubscription,
} from "@skein/api/push-devices.ts";
import {
  createProfileField,
  getProfileFields,
  removeOwnProfile,
  removeProfileField,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
} from "@skein/api/profile-fields.ts";
import { addReaction, removeReaction } from "@skein/api/reactions.ts";
import { getReadReceipts } from "@skein/api/read-receipts.ts";
import { addRealmDomain, getRealmDomains, removeRealmDomain, updateRealmDomain } from "@skein/api/realm-domains.ts";
import {
  getRealmIcon,
  getRealmLogo,
  removeRealmIcon,
  removeRealmLogo,
  uploadRealmIcon,
  uploadRealmLogo,
} from "@skein/api/realm-icon.ts";
import { testWelcomeMessage, updateRealm } from "@skein/api/realm-settings.ts";
import { deleteQueue, getEvents, register } from "@skein/api/registration.ts";
import { createReminder, deleteReminder, getReminders } from "@skein/api/reminders.ts";
import { reportMessage } from "@skein/api/reports.ts";
import {
  createSavedSnippet,
  deleteSavedSnippet,
  editSavedSnippet,
  getSavedSnippets,
} from "@skein/api/saved-snippets.ts";
import { addPasskey, getPasskeyChallenge, removePasskey, startPasskey, updatePasskey } from "@skein/api/passkeys.ts";
import {
  confirmTotp,
  getSecondFactors,
  getUserSecondFactors,
  regenerateRecoveryCodes,
  removeTotp,
  resetSecondFactors,
  startTotp,
} from "@skein/api/second-factors.ts";
import {
  deleteOtherSessions,
  deleteSession,
  deleteUserSession,
  getSessions,
  getUserSessions,
} from "@skein/api/sessions.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  getScheduledMessages,
  updateScheduledMessage,
} from "@skein/api/scheduled-messages.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import {
  updateDefaultSettings,
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
} from "@skein/api/settings.ts";
import { runSlashCommand } from "@skein/api/slash-commands.ts";
import { getUserStatus, updateStatus, updateUserStatus } from "@skein/api/status.ts";
import { checkSubdomain } from "@skein/api/subdomains.ts";
import { addSubmessage } from "@skein/api/submessages.ts";
import {
  getSubscriptions,
  getSubscriptionStatus,
  getUserChannels,
  subscribe,
  unsubscribe,
  updateSubscriptions,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
} from "@skein/api/subscriptions.ts";
import { getTopics } from "@skein/api/topics.ts";
import { setEditTypingStatus, setTypingStatus } from "@skein/api/typing.ts";
import { getAttachments, getFileTemporaryUrl, removeAttachment, uploadFile } from "@skein/api/uploads.ts";
import {
  createUserGroup,
  deactivateUserGroup,
  getIsUserGroupMember,
  getUserGroupMembers,
  getUserGroups,
  getUserGroupSubgroups,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@skein/api/user-groups.ts";
import { muteTopic, updateUserTopic } from "@skein/api/user-topics.ts";
import {
  createUser,
  deactivateOwnUser,
  deactivateUser,
  getOwnUser,
  getUser,
  getUserByEmail,
  getUsers,
  reactivateUser,
  updateUser,
  updateUserByEmail,
} from "@skein/api/users.ts";
import { hashPassword } from "../../src/domain/people/auth/passwords.ts";
import { codeAt, startApp, withApp } from "../authenticator-app.ts";
import { success, type TestUser } from "../realm.ts";
import { originOf, SoftwareAuthenticator, withPasskey } from "../software-authenticator.ts";
import { picture } from "../sum/picture.ts";
import type { Organization } from "./organization.ts";

/** Creates the preconditions, and returns the call. It runs several times, and gets the number of the run. */
export type UsualCall = (organization: Organization, time: number) => Promise<() => Promise<unknown>>;

const helping = 0;
const measured = 1;

let count = 0;
/** An unused word. */
const word = (): string => `word${count++}`;

type Params<E> = (organization: Organization, time: number) => Promise<ArgumentsOf<E>> | ArgumentsOf<E>;
type Caller = (organization: Organization) => TestUser | Promise<TestUser>;

const owner: Caller = ({ owner: user }) => user;
const member: Caller = ({ member: user }) => user;
const somebody: Caller = ({ realm }) => realm.user(word());

/** Warms the node's account cache, since most calls come from a cached account. */
const beKnown = async (user: TestUser) => success(await user.on(measured).call(getOwnUser, {}));

const usual = <E extends Endpoint>(endpoint: E, params: Params<E>, by: Caller = owner): [string, UsualCall] => [
  endpoint.operation,
  async (organization, time) => {
    const [user, given] = [await by(organization), await params(organization, time)];
    await beKnown(user);
    return async () => success(await user.on(measured).call(endpoint, given));
  },
];

/** A raw HTTP call, for requests that are not forms and responses that are not JSON. */
function request(organization: Organization, user: TestUser, method: string, path: string, body?: FormData) {
  const headers = {
    authorization: `Basic ${Buffer.from(`${user.email}:${user.apiKey}`).toString("base64")}`,
    "x-forwarded-host": organization.realm.host,
  };
  const url = `${organization.realm.nodes[measured]?.url}/api/v1${path}`;
  return fetch(url, { method, headers, redirect: "manual", ...(body ? { body } : {}) });
}

async function givePassword(user: TestUser): Promise<string> {
  const password = "a long and secret word";
  const password_hash = await hashPassword(password);
  await user.realm.ctx.db.updateTable("users").set({ password_hash }).where("id", "=", user.id).execute();
  return password;
}

/** A call by somebody new, whose second factor is prepared for it. */
const withCode = <E extends Endpoint>(
  endpoint: E,
  params: (user: TestUser) => Promise<ArgumentsOf<E>>,
): [string, UsualCall] => [
  endpoint.operation,
  async (organization) => {
    const user = await somebody(organization);
    const given = await params(user);
    await beKnown(user);
    return async () => success(await user.on(measured).call(endpoint, given));
  },
];

const withFile = <E extends Endpoint>(endpoint: E, params: Params<E>): [string, UsualCall] => [
  endpoint.operation,
  async (organization, time) => {
    await beKnown(organization.owner);
    const { path, form } = encodeCall(endpoint, await params(organization, time));
    const body = new FormData();
    for (const [name, value] of Object.entries(form)) body.append(name, value);
    body.append("file", new Blob([new Uint8Array(picture)]), "picture.png");
    return async () => {
      const response = await request(organization, organization.owner, endpoint.method, path, body);
      if (!response.ok) throw new Error(await response.text());
    };
  },
];

/** The response is a redirect. */
const redirect = <E extends Endpoint>(endpoint: E, params: Params<E>): [string, UsualCall] => [
  endpoint.operation,
  async (organization, time) => {
    await beKnown(organization.owner);
    const { path, form } = encodeCall(endpoint, await params(organization, time));
    const query = new URLSearchParams(form).toString();
    return async () => {
      const response = await request(organization, organization.owner, endpoint.method, `${path}?${query}`);
      if (response.status !== 302) throw new Error(`answered with ${response.status}`);
    };
  },
];

/** The response of a call that prepares another. */
const done = async <E extends Endpoint>(user: TestUser, endpoint: E, params: ArgumentsOf<E>) =>
  success(await user.on(helping).call(endpoint, params));

const newChannel = async ({ owner: user }: Organization): Promise<{ id: number; name: string }> => {
  const name = word();
  await done(user, subscribe, { subscriptions: [{ name }] });
  return { name, id: (await done(user, getChannelId, { stream: name })).stream_id };
};
const newChannelId = async (organization: Organization) => ({ stream_id: (await newChannel(organization)).id });
const newMessage = async ({ owner: user, channel }: Organization): Promise<number> =>
  (await done(user, sendMessage, { type: "channel", to: channel.id, topic: "talk", content: "words" })).id;
const newBot = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, createBot, { full_name: word(), short_name: word() })).user_id;
const newGroup = async ({ owner: user, member: other }: Organization): Promise<number> =>
  (await done(user, createUserGroup, { name: word(), description: "", members: [user.id, other.id] })).group_id;
const newDefaultGroup = async (organization: Organization): Promise<{ id: number; channel: string }> => {
  const { name: channel } = await newChannel(organization);
  const name = word();
  await done(organization.owner, createDefaultChannelGroup, {
    group_name: name,
    description: "",
    stream_names: [channel],
  });
  const { id } = await organization.realm.ctx.db
    .selectFrom("default_channel_groups")
    .select("id")
    .where("realm_id", "=", organization.realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return { id, channel };
};
const newFolder = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, createChannelFolder, { name: word() })).channel_folder_id;
const newField = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, createProfileField, { field_type: 1, name: word() })).id;
const newLinkifier = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, addLinkifier, { pattern: `${word()}-(?P<id>[0-9]+)`, url_template: "https://example.com/{id}" }))
    .id;
const newPlayground = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, addPlayground, playground())).id;
const playground = () => ({ name: word(), pygments_language: "Python", url_template: "https://example.com/{code}" });
/** Deletes all of them. */
const withoutExports = async ({ realm }: Organization) => {
  await realm.ctx.db.deleteFrom("realm_exports").where("realm_id", "=", realm.id).execute();
  return {};
};
/** Replaces the organization's import. */
const newImport = async ({ realm, owner: user }: Organization, state: string): Promise<number> => {
  await realm.ctx.db.deleteFrom("realm_imports").where("realm_id", "=", realm.id).execute();
  const report = { imported: { messages: 1 }, skipped: {}, examples: {}, remarks: [] };
  const { id } = await realm.ctx.db
    .insertInto("realm_imports")
    .values({
      realm_id: realm.id,
      acting_user_id: user.id,
      file_name: "export.zip",
      size: 1024,
      state,
      ...(state === "finished" ? { report: JSON.stringify(report), finished_at: new Date() } : {}),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
};

const completeUpload = async ({ realm, owner: user }: Organization, importId: number): Promise<void> => {
  const id = word() + word();
  await realm.ctx.db
    .insertInto("resumable_uploads")
    .values({
      id,
      realm_id: realm.id,
      owner_id: user.id,
      file_name: "export.zip",
      content_type: "",
      size: 1024,
      received: 1024,
      parts: [`parts/${id}/1`],
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
  await realm.ctx.db.updateTable("realm_imports").set({ upload_id: id }).where("id", "=", importId).execute();
};

/** Creates one. */
const newExport = async (organization: Organization): Promise<number> => {
  const { realm, owner: user } = organization;
  await withoutExports(organization);
  const { id } = await realm.ctx.db
    .insertInto("realm_exports")
    .values({
      realm_id: realm.id,
      acting_user_id: user.id,
      export_type: 1,
      secret: word() + realm.host,
      finished_at: new Date(),
      size: 1,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
};
const newKey = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, createApiKey, { name: word(), scopes: ["files"] })).id;
const newSession = async ({ id: user_id, realm }: TestUser): Promise<number> =>
  (
    await realm.ctx.db
      .insertInto("browser_sessions")
      .values({ realm_id: realm.id, user_id, token_hash: randomBytes(32), expires_at: new Date(2100, 0) })
      .returning("id")
      .executeTakeFirstOrThrow()
  ).id;
const provider = () => ({ key: word(), name: "Harbor", issuer: "https://id.invalid", client_id: "skein" });
const newDirectory = async ({ owner: user }: Organization): Promise<number> => {
  const ldap = { url: "ldaps://ldap.example.com", user_base: "dc=example,dc=com", user_filter: "(uid={login})" };
  const made = await done(user, createIdentityProvider, { kind: "ldap", key: word(), name: word(), ldap });
  return made.identity_provider.id;
};
const newProvider = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, createIdentityProvider, provider())).identity_provider.id;
const newDomain = async ({ owner: user }: Organization): Promise<string> => {
  const domain = `${word()}.example.org`;
  await done(user, addRealmDomain, { domain, allow_subdomains: false });
  return domain;
};
const newEmoji = async ({ owner: user }: Organization): Promise<string> => {
  const name = word();
  await user.upload(`/realm/emoji/${name}`, { "picture.png": picture });
  return name;
};
const newInvitation = async (organization: Organization): Promise<number> => {
  await done(organization.owner, sendInvitations, { invitee_emails: `${word()}@example.com`, stream_ids: [] });
  const { invites } = await done(organization.owner, getInvitations, {});
  return Math.max(...invites.filter((invite) => !invite.is_multiuse).map((invite) => invite.id));
};
const newInvitationLink = async ({ owner: user }: Organization): Promise<number> => {
  await done(user, createInvitationLink, { stream_ids: [] });
  const { invites } = await done(user, getInvitations, {});
  return Math.max(...invites.filter((invite) => invite.is_multiuse).map((invite) => invite.id));
};
const token = (): string => Buffer.from(word()).toString("hex");
const newSubscription = () => ({
  endpoint: `https://push.example.com/${word()}`,
  p256dh: Buffer.alloc(65, 4).toString("base64url"),
  auth: Buffer.alloc(16).toString("base64url"),
});
const draft = { type: "", to: [], topic: "", content: "words" } as const;
const newDraft = async ({ owner: user }: Organization): Promise<number> =>
  (await done(user, createDrafts, { drafts: [{ ...draft, to: [] }] })).ids[0] ?? 0;
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const newScheduledMessage = async ({ owner: user, channel }: Organization): Promise<number> => {
  const message = { type: "channel", to: channel.id, topic: "talk", content: "words" } as const;
  const params = { ...message, scheduled_delivery_timestamp: inAnHour() };
  return (await done(user, createScheduledMessage, params)).scheduled_message_id;
};
const newView = () => ({ fragment: `narrow/search/${word()}`, is_pinned: true, name: word() });
/** A file that the owner uploaded. */
const newFile = async ({ owner: user }: Organization): Promise<{ id: number; path: string }> => {
  await user.upload("/user_uploads", { "picture.png": picture });
  const { attachments } = await done(user, getAttachments, {});
  const newest = attachments.reduce((one, other) => (one.id > other.id ? one : other));
  return { id: newest.id, path: newest.path_id };
};
const range = { anchor: "newest", include_anchor: true, num_before: 20, num_after: 0 };
const newQueue = async ({ owner: user }: Organization): Promise<string> =>
  (await done(user, register, { event_types: ["message"] })).queue_id;

/** A different value each time, so that every call changes something. */
const turned = (time: number): boolean => time % 2 === 0;

export const usualCalls: [string, UsualCall][] = [
  usual(sendMessage, ({ channel }) => ({ type: "channel" as const, to: channel.id, topic: "talk", content: "words" })),
  usual(renderMessage, () => ({ content: "*words*" })),
  usual(getMessage, ({ messageId }) => ({ message_id: messageId })),
  usual(getMessages, ({ channel }) => ({ ...range, narrow: [{ operator: "channel", operand: channel.id }] })),
  usual(matchNarrow, ({ channel, messageId }) => ({
    msg_ids: [messageId],
    narrow: [{ operator: "channel", operand: channel.id }],
  })),
  usual(updateMessage, async (organization) => ({ message_id: await newMessage(organization), content: word() })),
  usual(getMessageHistory, ({ messageId }) => ({ message_id: messageId })),
  usual(deleteMessage, async (organization) => ({ message_id: await newMessage(organization) })),
  usual(deleteTopic, async ({ owner: user, channel }) => {
    const topic = word();
    await done(user, sendMessage, { type: "channel", to: channel.id, topic, content: "words" });
    return { stream_id: channel.id, topic_name: topic };
  }),
  usual(getReadReceipts, ({ messageId }) => ({ message_id: messageId })),
  usual(addSubmessage, async ({ owner: user, channel }) => {
    const poll = { type: "channel", to: channel.id, topic: "talk", content: "/poll lunch?" } as const;
    const { id } = await done(user, sendMessage, poll);
    return { message_id: id, msg_type: "widget", content: '{"type":"new_option","idx":1,"option":"soup"}' };
  }),
  usual(addReaction, async (organization) => ({ message_id: await newMessage(organization), emoji_name: "tada" })),
  usual(removeReaction, async (organization) => {
    const message_id = await newMessage(organization);
    await done(organization.owner, addReaction, { message_id, emoji_name: "tada" });
    return { message_id, emoji_name: "tada" };
  }),
  usual(updateMessageFlags, async (organization) => ({
    messages: [await newMessage(organization)],
    op: "add",
    flag: "starred",
  })),
  usual(updateMessageFlagsForNarrow, async (organization) => {
    await newMessage(organization);
    const narrow = [{ operator: "channel", operand: organization.channel.id }];
    return { ...range, num_before: 1, narrow, op: "add", flag: "starred" };
  }),
  usual(
    markAllAsRead,
    async (organization) => {
      await newMessage(organization);
      return {};
    },
    member,
  ),
  usual(
    markChannelAsRead,
    async (organization) => {
      await newMessage(organization);
      return { stream_id: organization.channel.id };
    },
    member,
  ),
  usual(
    markTopicAsRead,
    async (organization) => {
      await newMessage(organization);
      return { stream_id: organization.channel.id, topic_name: "talk" };
    },
    member,
  ),
  withFile(uploadFile, () => ({})),
  usual(getFileTemporaryUrl, async (organization) => {
    const [realm, ...rest] = (await newFile(organization)).path.split("/");
    return { realm_id_str: Number(realm), filename: rest.join("/") };
  }),
  usual(getAttachments, () => ({})),
  usual(removeAttachment, async (organization) => ({ attachment_id: (await newFile(organization)).id })),
  usual(getChannelFolders, () => ({})),
  usual(createChannelFolder, () => ({ name: word() })),
  usual(updateChannelFolder, async (organization) => ({
    channel_folder_id: await newFolder(organization),
    name: word(),
  })),
  usual(reorderChannelFolders, async (organization) => {
    await newFolder(organization);
    const { channel_folders: folders } = await done(organization.owner, getChannelFolders, { include_archived: true });
    return { order: folders.map(({ id }) => id).toReversed() };
  }),
  usual(createChannel, ({ owner: user }) => ({ name: word(), subscribers: [user.id] })),
  usual(getChannels, () => ({})),
  usual(getChannel, ({ channel }) => ({ stream_id: channel.id })),
  usual(getChannelId, ({ channel }) => ({ stream: channel.name })),
  usual(getSubscribers, ({ channel }) => ({ stream_id: channel.id })),
  usual(getChannelEmailAddress, ({ channel }) => ({ stream_id: channel.id })),
  usual(updateChannel, ({ channel }) => ({ stream_id: channel.id, description: word() })),
  usual(archiveChannel, newChannelId),
  usual(getTopics, ({ channel }) => ({ stream_id: channel.id })),
  usual(
    subscribe,
    async (organization) => ({ subscriptions: [{ name: (await newChannel(organization)).name }] }),
    member,
  ),
  usual(getSubscriptions, () => ({})),
  usual(unsubscribe, async (organization) => ({ subscriptions: [(await newChannel(organization)).name] })),
  usual(
    updateSubscriptions,
    async (organization) => {
      const [added, left] = [await newChannel(organization), await newChannel(organization)];
      await done(organization.member, subscribe, { subscriptions: [{ name: left.name }] });
      return { add: [{ name: added.name }], delete: [left.name] };
    },
    member,
  ),
  usual(updateSubscriptionSettings, ({ channel }, time) => ({
    subscription_data: [{ stream_id: channel.id, property: "pin_to_top", value: turned(time) }],
  })),
  usual(updateSubscriptionSetting, ({ channel }, time) => ({
    stream_id: channel.id,
    property: "is_muted",
    value: turned(time),
  })),
  usual(getUserChannels, ({ member: user }) => ({ user_id: user.id })),
  usual(getSubscriptionStatus, ({ member: user, channel }) => ({ user_id: user.id, stream_id: channel.id })),
  usual(addDefaultChannel, newChannelId),
  usual(removeDefaultChannel, async (organization) => {
    const channel = await newChannelId(organization);
    await done(organization.owner, addDefaultChannel, channel);
    return channel;
  }),
  usual(createDefaultChannelGroup, async (organization) => ({
    group_name: word(),
    description: "",
    stream_names: [(await newChannel(organization)).name],
  })),
  usual(updateDefaultChannelGroup, async (organization) => ({
    group_id: (await newDefaultGroup(organization)).id,
    new_description: word(),
  })),
  usual(updateDefaultChannelGroupChannels, async (organization) => ({
    group_id: (await newDefaultGroup(organization)).id,
    op: "add",
    stream_names: [(await newChannel(organization)).name],
  })),
  usual(removeDefaultChannelGroup, async (organization) => ({ group_id: (await newDefaultGroup(organization)).id })),
  usual(getUsers, () => ({})),
  usual(createUser, () => ({
    email: `${word()}@example.com`,
    password: "a long and secret word",
    full_name: word(),
  })),
  usual(getOwnUser, () => ({})),
  usual(getUser, ({ member: user }) => ({ user_id: user.id })),
  usual(getUserByEmail, ({ member: user }) => ({ email: user.email })),
  usual(updateUser, async (organization) => ({ user_id: (await somebody(organization)).id, role: 300 as const })),
  usual(updateUserByEmail, async (organization) => ({
    email: (await somebody(organization)).email,
    full_name: word(),
  })),
  usual(deactivateUser, async (organization) => ({ user_id: (await somebody(organization)).id })),
  usual(deactivateOwnUser, () => ({}), somebody),
  usual(reactivateUser, async (organization) => {
    const { id: user_id } = await somebody(organization);
    await done(organization.owner, deactivateUser, { user_id });
    return { user_id };
  }),
  withFile(uploadOwnAvatar, () => ({})),
  usual(removeOwnAvatar, async ({ owner: user }) => {
    await user.upload("/users/me/avatar", { "picture.png": picture });
    return {};
  }),
  usual(updateOwnProfile, async (organization) => ({ data: [{ id: await newField(organization), value: word() }] })),
  usual(removeOwnProfile, async (organization) => {
    const id = await newField(organization);
    await done(organization.owner, updateOwnProfile, { data: [{ id, value: word() }] });
    return { data: [id] };
  }),
  usual(getProfileFields, () => ({})),
  usual(createProfileField, () => ({ field_type: 1 as const, name: word() })),
  usual(reorderProfileFields, async ({ owner: user }) => {
    const { custom_fields } = await done(user, getProfileFields, {});
    return { order: custom_fields.map((field) => field.id).toReversed() };
  }),
  usual(updateProfileField, async (organization) => ({ field_id: await newField(organization), hint: word() })),
  usual(removeProfileField, async (organization) => ({ field_id: await newField(organization) })),
  usual(getUserGroups, () => ({})),
  usual(createUserGroup, ({ member: user }) => ({ name: word(), description: "", members: [user.id] })),
  usual(updateUserGroup, async (organization) => ({ user_group_id: await newGroup(organization), name: word() })),
  usual(deactivateUserGroup, async (organization) => ({ user_group_id: await newGroup(organization) })),
  usual(updateUserGroupMembers, async (organization) => ({
    user_group_id: await newGroup(organization),
    add: [(await somebody(organization)).id],
  })),
  usual(getUserGroupMembers, async (organization) => ({ user_group_id: await newGroup(organization) })),
  usual(getIsUserGroupMember, async (organization) => ({
    user_group_id: await newGroup(organization),
    user_id: organization.member.id,
  })),
  usual(updateUserGroupSubgroups, async (organization) => ({
    user_group_id: await newGroup(organization),
    add: [await newGroup(organization)],
  })),
  usual(getUserGroupSubgroups, async (organization) => ({ user_group_id: await newGroup(organization) })),
  usual(getInvitations, () => ({})),
  usual(sendInvitations, ({ channel }) => ({ invitee_emails: `${word()}@example.com`, stream_ids: [channel.id] })),
  usual(createInvitationLink, ({ channel }) => ({ stream_ids: [channel.id] })),
  usual(revokeInvitation, async (organization) => ({ invite_id: await newInvitation(organization) })),
  usual(revokeInvitationLink, async (organization) => ({ invite_id: await newInvitationLink(organization) })),
  usual(resendInvitation, async (organization) => ({ invite_id: await newInvitation(organization) })),
  usual(register, () => ({})),
  usual(getEvents, async (organization) => {
    const params = { queue_id: await newQueue(organization), last_event_id: -1, dont_block: true };
    // The first read on a node loads the queue; later reads only follow the log.
    success(await organization.owner.on(measured).call(getEvents, params));
    return params;
  }),
  usual(deleteQueue, async (organization) => ({ queue_id: await newQueue(organization) })),
  usual(fetchApiKey, async ({ owner: user }) => {
    const [email, password] = [`${word()}@example.com`, "a long and secret word"];
    await done(user, createUser, { email, password, full_name: word() });
    return { username: email, password };
  }),
  usual(regenerateApiKey, () => ({}), somebody),
  usual(getApiKeys, () => ({})),
  usual(createApiKey, () => ({ name: word(), scopes: ["files"] }), somebody),
  usual(updateApiKey, async (organization) => ({ key_id: await newKey(organization), name: word() })),
  usual(deleteApiKey, async (organization) => ({ key_id: await newKey(organization) })),
  usual(getUserApiKeys, ({ member: user }) => ({ user_id: user.id })),
  usual(deleteUserApiKey, async ({ member: user }) => ({
    user_id: user.id,
    key_id: (await done(user, createApiKey, { name: word(), scopes: ["files"] })).id,
  })),
  usual(getScimTokens, () => ({})),
  usual(createScimToken, () => ({ name: word() })),
  usual(deleteScimToken, async ({ owner: user }) => ({
    token_id: (await done(user, createScimToken, { name: word() })).id,
  })),
  usual(getScimSettings, () => ({})),
  usual(updateScimSettings, async (organization) => ({ attribute_map: { title: await newField(organization) } })),
  usual(getAuditLog, () => ({})),
  usual(getAuditActions, () => ({})),
  usual(getSecondFactors, () => ({})),
  withCode(startTotp, async (user) => ({ password: await givePassword(user) })),
  withCode(confirmTotp, async (user) => ({ code: codeAt(await startApp(user)) })),
  withCode(removeTotp, async (user) => ({ code: codeAt((await withApp(user)).secret) })),
  withCode(regenerateRecoveryCodes, async (user) => ({ code: codeAt((await withApp(user)).secret) })),
  withCode(getPasskeyChallenge, async (user) => {
    await withPasskey(user);
    return {};
  }),
  withCode(startPasskey, async (user) => ({ password: await givePassword(user) })),
  withCode(addPasskey, async (user) => {
    const { options, state } = success(await user.call(startPasskey, { password: await givePassword(user) }));
    return { name: "Laptop", state, credential: new SoftwareAuthenticator(originOf(user)).create(options) };
  }),
  withCode(updatePasskey, async (user) => ({ passkey_id: (await withPasskey(user)).id, name: "Phone" })),
  withCode(removePasskey, async (user) => {
    const { id, authenticator } = await withPasskey(user);
    const { options, state } = success(await user.call(getPasskeyChallenge, {}));
    return { passkey_id: id, passkey: { state, credential: authenticator.get(options) } };
  }),
  usual(getUserSecondFactors, ({ member: user }) => ({ user_id: user.id })),
  usual(resetSecondFactors, async (organization) => {
    const user = await somebody(organization);
    await withApp(user);
    return { user_id: user.id };
  }),
  usual(getAuditDestinations, () => ({})),
  usual(createAuditDestination, async ({ owner: user }) => {
    const { destinations } = await done(user, getAuditDestinations, {});
    for (const { id } of destinations) await done(user, deleteAuditDestination, { destination_id: id });
    return { url: "https://logs.example.com" };
  }),
  usual(updateAuditDestination, async ({ owner: user }) => ({
    destination_id: (await done(user, createAuditDestination, { url: "https://logs.example.com" })).id,
    is_enabled: false,
  })),
  usual(deleteAuditDestination, async ({ owner: user }) => ({
    destination_id: (await done(user, createAuditDestination, { url: "https://logs.example.com" })).id,
  })),
  usual(getSessions, () => ({})),
  usual(deleteSession, async ({ owner: user }) => ({ session_id: await newSession(user) })),
  usual(deleteOtherSessions, () => ({})),
  usual(getUserSessions, ({ member: user }) => ({ user_id: user.id })),
  usual(deleteUserSession, async ({ member: user }) => ({ user_id: user.id, session_id: await newSession(user) })),
  usual(getIdentityProviders, () => ({})),
  usual(createIdentityProvider, provider),
  usual(updateIdentityProvider, async (organization) => ({
    provider_id: await newProvider(organization),
    name: word(),
  })),
  usual(deleteIdentityProvider, async (organization) => ({ provider_id: await newProvider(organization) })),
  usual(testIdentityProvider, async (organization) => ({ provider_id: await newProvider(organization) })),
  usual(syncIdentityProvider, async (organization) => ({
    provider_id: await newDirectory(organization),
    dry_run: false,
  })),
  usual(getServerSettings, () => ({})),
  usual(updateRealm, () => ({ description: word() })),
  redirect(getRealmIcon, () => ({})),
  withFile(uploadRealmIcon, () => ({})),
  usual(removeRealmIcon, async ({ owner: user }) => {
    await user.upload("/realm/icon", { "picture.png": picture });
    return {};
  }),
  redirect(getRealmLogo, () => ({ night: false })),
  withFile(uploadRealmLogo, () => ({ night: false })),
  usual(removeRealmLogo, async ({ owner: user }) => {
    await user.upload("/realm/logo", { "picture.png": picture }, { night: "false" });
    return { night: false };
  }),
  usual(getRealmDomains, () => ({})),
  usual(addRealmDomain, () => ({ domain: `${word()}.example.org`, allow_subdomains: false })),
  usual(updateRealmDomain, async (organization) => ({
    domain: await newDomain(organization),
    allow_subdomains: true,
  })),
  usual(removeRealmDomain, async (organization) => ({ domain: await newDomain(organization) })),
  usual(getScheduledMessages, () => ({})),
  usual(createScheduledMessage, ({ channel }) => ({
    type: "channel" as const,
    to: channel.id,
    topic: "talk",
    content: "words",
    scheduled_delivery_timestamp: inAnHour(),
  })),
  usual(updateScheduledMessage, async (organization) => ({
    scheduled_message_id: await newScheduledMessage(organization),
    content: "other words",
  })),
  usual(deleteScheduledMessage, async (organization) => ({
    scheduled_message_id: await newScheduledMessage(organization),
  })),
  usual(getReminders, () => ({})),
  usual(createReminder, async (organization) => ({
    message_id: await newMessage(organization),
    scheduled_delivery_timestamp: inAnHour(),
  })),
  usual(deleteReminder, async (organization) => {
    const message_id = await newMessage(organization);
    const params = { message_id, scheduled_delivery_timestamp: inAnHour() };
    return { reminder_id: (await done(organization.owner, createReminder, params)).reminder_id };
  }),
  usual(getNavigationViews, () => ({})),
  usual(addNavigationView, () => newView()),
  usual(editNavigationView, async ({ owner: user }) => {
    const view = newView();
    await done(user, addNavigationView, view);
    return { fragment: view.fragment, is_pinned: !view.is_pinned };
  }),
  usual(removeNavigationView, async ({ owner: user }) => {
    const view = newView();
    await done(user, addNavigationView, view);
    return { fragment: view.fragment };
  }),
  usual(updateSettings, (_, time) => ({ enter_sends: turned(time) })),
  usual(updateDisplaySettings, (_, time) => ({ fluid_layout_width: turned(time) })),
  usual(updateNotificationSettings, (_, time) => ({ enable_sounds: !turned(time) })),
  usual(updateDefaultSettings, (_, time) => ({ twenty_four_hour_time: turned(time) })),
  usual(getAlertWords, () => ({})),
  usual(addAlertWords, () => ({ alert_words: [word()] })),
  usual(removeAlertWords, async ({ owner: user }) => {
    const alert_words = [word()];
    await done(user, addAlertWords, { alert_words });
    return { alert_words };
  }),
  usual(getSavedSnippets, () => ({})),
  usual(createSavedSnippet, () => ({ title: word(), content: word() })),
  usual(editSavedSnippet, async ({ owner: user }) => ({
    saved_snippet_id: (await done(user, createSavedSnippet, { title: word(), content: word() })).saved_snippet_id,
    content: word(),
  })),
  usual(deleteSavedSnippet, async ({ owner: user }) => ({
    saved_snippet_id: (await done(user, createSavedSnippet, { title: word(), content: word() })).saved_snippet_id,
  })),
  usual(addApnsToken, () => ({ token: token(), appid: "org.example.app" })),
  usual(removeApnsToken, async ({ owner: user }) => {
    const device = { token: token(), appid: "org.example.app" };
    await done(user, addApnsToken, device);
    return { token: device.token };
  }),
  usual(addFcmToken, () => ({ token: token() })),
  usual(removeFcmToken, async ({ owner: user }) => {
    const device = { token: token() };
    await done(user, addFcmToken, device);
    return device;
  }),
  usual(getWebPushKey, () => ({})),
  usual(addWebPushSubscription, newSubscription),
  usual(removeWebPushSubscription, async ({ owner: user }) => {
    const subscription = newSubscription();
    await done(user, addWebPushSubscription, subscription);
    return { endpoint: subscription.endpoint };
  }),
  usual(muteUser, async (organization) => ({ muted_user_id: (await somebody(organization)).id })),
  usual(unmuteUser, async (organization) => {
    const { id: muted_user_id } = await somebody(organization);
    await done(organization.owner, muteUser, { muted_user_id });
    return { muted_user_id };
  }),
  usual(getLinkifiers, () => ({})),
  usual(addLinkifier, () => ({ pattern: `${word()}-(?P<id>[0-9]+)`, url_template: "https://example.com/{id}" })),
  usual(updateLinkifier, async (organization) => ({
    filter_id: await newLinkifier(organization),
    pattern: `${word()}-(?P<id>[0-9]+)`,
    url_template: "https://example.com/{id}",
  })),
  usual(removeLinkifier, async (organization) => ({ filter_id: await newLinkifier(organization) })),
  usual(addPlayground, playground),
  usual(removePlayground, async (organization) => ({ playground_id: await newPlayground(organization) })),
  usual(getExports, () => ({})),
  usual(createExport, withoutExports),
  usual(removeExport, async (organization) => ({ export_id: await newExport(organization) })),
  usual(getExportConsents, () => ({})),
  usual(getImports, () => ({})),
  usual(createImport, async ({ realm }) => {
    await realm.ctx.db.deleteFrom("realm_imports").where("realm_id", "=", realm.id).execute();
    return { file_name: "export.zip", size: 1024 };
  }),
  usual(inspectImport, async (organization) => {
    const import_id = await newImport(organization, "uploading");
    await completeUpload(organization, import_id);
    return { import_id };
  }),
  usual(getImportPlan, async (organization) => ({ import_id: await newImport(organization, "ready") })),
  usual(updateImportPlan, async (organization) => ({
    import_id: await newImport(organization, "ready"),
    unthreaded: "day" as const,
  })),
  usual(runImport, async (organization) => ({ import_id: await newImport(organization, "ready") })),
  usual(getImportReport, async (organization) => ({ import_id: await newImport(organization, "finished") })),
  usual(cancelImport, async (organization) => ({ import_id: await newImport(organization, "ready") })),
  usual(checkSubdomain, () => ({ subdomain: word() })),
  usual(finishOnboardingStep, () => ({ onboarding_step: "intro_resolve_topic" }), somebody),
  usual(runSlashCommand, (_, time) => ({ command: turned(time) ? "/dark" : "/light" })),
  usual(reorderLinkifiers, async ({ owner: user }) => {
    const { linkifiers } = await done(user, getLinkifiers, {});
    return { ordered_linkifier_ids: linkifiers.map((linkifier) => linkifier.id).toReversed() };
  }),
  usual(getCustomEmoji, () => ({})),
  withFile(uploadCustomEmoji, () => ({ emoji_name: word() })),
  usual(deactivateCustomEmoji, async (organization) => ({ emoji_name: await newEmoji(organization) })),
  usual(getBots, () => ({})),
  usual(createBot, () => ({ full_name: word(), short_name: word() })),
  usual(updateBot, async (organization) => ({ bot_id: await newBot(organization), full_name: word() })),
  usual(deactivateBot, async (organization) => ({ bot_id: await newBot(organization) })),
  usual(getBotApiKey, async (organization) => ({ bot_id: await newBot(organization) })),
  usual(regenerateBotApiKey, async (organization) => ({ bot_id: await newBot(organization) })),
  usual(getBotStorage, () => ({})),
  usual(updateBotStorage, () => ({ storage: { key: word() } })),
  usual(removeBotStorage, async ({ owner: user }) => {
    const key = word();
    await done(user, updateBotStorage, { storage: { [key]: "value" } });
    return { keys: [key] };
  }),
  usual(updateUserTopic, ({ channel }) => ({ stream_id: channel.id, topic: word(), visibility_policy: 1 as const })),
  usual(muteTopic, ({ channel }) => ({ stream_id: channel.id, topic: word(), op: "add" as const })),
  usual(updateStatus, () => ({ status_text: word() })),
  usual(updateUserStatus, ({ member: user }) => ({ user_id: user.id, status_text: word() })),
  usual(testWelcomeMessage, () => ({ welcome_message_custom_text: word() })),
  usual(getUserStatus, ({ member: user }) => ({ user_id: user.id })),
  usual(getDrafts, () => ({})),
  usual(createDrafts, () => ({ drafts: [{ ...draft, to: [] }] })),
  usual(editDraft, async (organization) => ({ draft_id: await newDraft(organization), draft: { ...draft, to: [] } })),
  usual(deleteDraft, async (organization) => ({ draft_id: await newDraft(organization) })),
  usual(updatePresence, () => ({ status: "active" })),
  usual(getUserPresence, async ({ owner: user }) => {
    const params = { user_id_or_email: String(user.id) };
    await done(user, updatePresence, { status: "active" });
    // Published to the other nodes a moment later.
    while ((await user.on(measured).call(getUserPresence, params)).result !== "success");
    return params;
  }),
  usual(getPresence, () => ({})),
  usual(setTypingStatus, ({ member: user }) => ({ type: "direct" as const, to: [user.id], op: "start" as const })),
  usual(setEditTypingStatus, async (organization) => ({
    message_id: await newMessage(organization),
    op: "start" as const,
  })),
  // Changes the organization, so that nodes read it again: last.
  usual(reportMessage, async (organization) => {
    const { owner: user } = organization;
    const desk = word();
    const created = { subscriptions: [{ name: desk }], invite_only: true };
    await done(user, subscribe, created);
    const { stream_id } = await done(user, getChannelId, { stream: desk });
    await done(user, updateRealm, { moderation_request_channel_id: stream_id });
    return { message_id: await newMessage(organization), report_type: "spam" as const };
  }),
];
