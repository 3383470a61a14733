/** Changing a channel: permissions are checked for all changes, all are written at once, and each emits its own event. */
import type { TopicsPolicy } from "@skein/api/channels.ts";
import type { GroupSettingUpdate, GroupSettingValue } from "@skein/api/group-setting.ts";
import type { Updateable } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import { renderMarkdown } from "../../../markdown/render.ts";
import type { ChannelsTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { lockDefaultChannels } from "../../channels/default-channels/access.ts";
import { setDefault } from "../../channels/default-channels/actions.ts";
import {
  channelGroupOf,
  channelPermissionNames,
  channelPermissionRule,
  storedChannelGroup,
  type ChannelPermission,
} from "../../organization/permissions/channel-permissions.ts";
import { systemGroupIds, updateGroupSetting } from "../../organization/permissions/group-settings.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";
import { accessChannelForChange, isAdministrator, type Channel, type LockedChannel } from "../../channels/access.ts";
import { archiveChannel, unarchiveChannel } from "./archive.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { toChannelName } from "../../channels/name.ts";
import { describeChanges, sendChannelNotice } from "./notices.ts";
import { accessPrivacy, contentAccessRequired, type PrivacyChange } from "../../channels/privacy.ts";
import { onlyAdministrators, postPolicies, postPolicyOf } from "../../channels/queries.ts";
import { accessRetention } from "../../channels/retention.ts";
import { accessFolderForUse } from "../../channels/folders/access.ts";
import { accessTopicsPolicy, refuseOtherTopics } from "../../channels/topics/policy.ts";
import { accessDeletionPolicy, refuseTopicStarters } from "./create.ts";
import { emitChannelAccessChanges } from "../../channels/visibility.ts";

export interface ChannelChange {
  name?: string | undefined;
  description?: string | undefined;
  privacy: PrivacyChange;
  /** See the column; undefined leaves it unchanged. */
  message_retention_days?: number | null | undefined;
  is_default?: boolean | undefined;
  is_archived?: boolean | undefined;
  topics_policy?: TopicsPolicy | undefined;
  /** Null: none; undefined leaves it where it is. */
  folder_id?: number | null | undefined;
  permissions: Partial<Record<ChannelPermission, GroupSettingUpdate>>;
}

export async function updateChannel(
  tx: Tx,
  ctx: TxContext,
  user: User,
  id: number,
  change: ChannelChange,
): Promise<void> {
  await lockDefaultChannels(tx, user.realm_id);
  const inHand = await accessChannelForChange(tx, user, id);
  const { channel: before, boundary } = inHand;
  if (change.is_default !== undefined && !isAdministrator(user)) throw insufficientPermission();
  if (change.message_retention_days !== undefined) accessRetention(user);
  if (typeof change.folder_id === "number") await accessFolderForUse(tx, user.realm_id, change.folder_id);
  const policy = await topicsPolicyColumn(tx, user, before, change.topics_policy);
  const isDefault = change.is_default ?? before.is_default;
  const privacy = await accessPrivacy(tx, ctx.config, user, inHand, change.privacy, isDefault);
  const emitTopicChanges = await noteShownTopics(tx, user.realm_id, { channelIds: [id] });
  const permissions = await storePermissions(tx, inHand, change.permissions);
  if (permissions.some(({ name }) => deletionPolicy.has(name))) await accessDeletionPolicy(tx, user);
  const after = await store(tx, before, {
    ...nameColumns(before, change.name),
    ...descriptionColumns(change.description),
    ...privacy,
    ...(change.message_retention_days === undefined ? {} : { message_retention_days: change.message_retention_days }),
    ...policy,
    ...(change.folder_id === undefined ? {} : { folder_id: change.folder_id }),
    ...permissionColumns(permissions),
  });
  refuseTopicStarters(after, after.can_create_topic_group_id);

  await emitChannelAccessChanges(tx, before, after);
  await emitChanges(tx, before, after, permissions, boundary);
  await emitTopicChanges();
  if (change.is_default !== undefined) await setDefault(tx, after, change.is_default);
  for (const text of describeChanges(before, after)) await sendChannelNotice(tx, ctx, user, after, text);
  if (change.is_archived === undefined || change.is_archived === before.is_archived) return;
  if (change.is_archived) await archiveChannel(tx, ctx, user, { ...after, is_default: isDefault }, boundary);
  else await unarchiveChannel(tx, ctx, user, after, boundary);
}

function nameColumns(channel: Channel, text: string | undefined): { name?: string } {
  if (text === undefined) return {};
  const name = toChannelName(text);
  if (name === channel.name) throw new ApiError("Channel already has that name.");
  return { name };
}

function descriptionColumns(text: string | undefined) {
  if (text === undefined) return {};
  const description = text.replaceAll("\n", " ");
  return { description, rendered_description: renderMarkdown(description).html };
}

async function topicsPolicyColumn(
  tx: Tx,
  user: User,
  channel: Channel,
  policy: TopicsPolicy | undefined,
): Promise<{ topics_policy?: TopicsPolicy }> {
  if (policy === undefined || policy === channel.topics_policy) return {};
  await accessTopicsPolicy(tx, user, policy);
  if (policy === "empty_topic_only") await refuseOtherTopics(tx, channel);
  return { topics_policy: policy };
}

const deletionPolicy: ReadonlySet<string> = new Set(["can_delete_any_message_group", "can_delete_own_message_group"]);

interface ChangedPermission {
  name: ChannelPermission;
  /** Null: the default. */
  id: number | null;
  value: GroupSettingValue;
}

/** Returns the changed permissions. A permission that grants content access needs an actor who has that access. */
async function storePermissions(
  tx: Tx,
  { channel, hasContent }: LockedChannel,
  requested: ChannelChange["permissions"],
): Promise<ChangedPermission[]> {
  const changed: ChangedPermission[] = [];
  if (Object.keys(requested).length === 0) return changed;
  const systemGroups = await systemGroupIds(tx, channel.realm_id);
  for (const name of channelPermissionNames) {
    const update = requested[name];
    if (!update) continue;
    const rule = channelPermissionRule(name);
    const current = channelGroupOf(channel, name, systemGroups);
    const stored = await updateGroupSetting(tx, channel.realm_id, name, current, update, rule);
    if (!stored) continue;
    if (rule.grants === "content" && !hasContent) throw contentAccessRequired();
    changed.push({ name, value: stored.value, id: storedChannelGroup(name, stored.id, systemGroups) });
  }
  return changed;
}

const permissionColumns = (changed: readonly ChangedPermission[]): Updateable<ChannelsTable> =>
  Object.fromEntries(changed.map(({ name, id }) => [`${name}_id`, id]));

async function store(tx: Tx, before: Channel, columns: Updateable<ChannelsTable>): Promise<Channel> {
  try {
    return await tx
      .updateTable("channels")
      .set(columns)
      .where("id", "=", before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    // The unique index decides if two requests use the same name at once.
    if (isTaken(error)) throw new ApiError("Channel name already in use.");
    throw error;
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && "constraint" in error && error.constraint === "channels_name";

async function emitChanges(
  tx: Tx,
  before: Channel,
  after: Channel,
  permissions: readonly ChangedPermission[],
  boundary: number,
): Promise<void> {
  const changes: Record<string, unknown>[] = [];
  if (before.message_retention_days !== after.message_retention_days)
    changes.push({ property: "message_retention_days", value: after.message_retention_days });
  if (before.description !== after.description)
    changes.push({
      property: "description",
      value: after.description,
      rendered_description: after.rendered_description,
    });
  if (before.name !== after.name) changes.push({ property: "name", value: after.name });
  if (before.folder_id !== after.folder_id) changes.push({ property: "folder_id", value: after.folder_id });
  if (before.topics_policy !== after.topics_policy)
    changes.push({ property: "topics_policy", value: after.topics_policy });
  const { invite_only, is_web_public, history_public_to_subscribers } = after;
  if (
    before.invite_only !== invite_only ||
    before.is_web_public !== is_web_public ||
    before.history_public_to_subscribers !== history_public_to_subscribers
  )
    changes.push({ property: "invite_only", value: invite_only, history_public_to_subscribers, is_web_public });
  for (const { name, value } of permissions) changes.push({ property: name, value });
  changes.push(...(await postPolicyChanges(tx, before, after)));
  if (changes.length === 0) return;

  const audiences = (await metadataAudiences(tx, [after], boundary))(after);
  for (const change of changes) {
    const event = { type: "stream", op: "update", stream_id: after.id, name: before.name, ...change };
    for (const audience of audiences) emit(tx, after.realm_id, audience, event);
  }
}

/** The properties that older clients use instead of the permission to send messages. */
async function postPolicyChanges(tx: Tx, before: Channel, after: Channel): Promise<Record<string, unknown>[]> {
  if (before.can_send_message_group_id === after.can_send_message_group_id) return [];
  const policies = postPolicies(await systemGroupIds(tx, after.realm_id));
  const policy = postPolicyOf(policies, after);
  if (policy === postPolicyOf(policies, before)) return [];
  return [
    { property: "stream_post_policy", value: policy },
    { property: "is_announcement_only", value: policy === onlyAdministrators },
  ];
}
