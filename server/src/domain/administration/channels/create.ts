import type * as api from "@skein/api/channels.ts";
import type { TopicsPolicy } from "@skein/api/channels.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { sql } from "kysely";
import type { Config } from "../../../config.ts";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import { renderMarkdown } from "../../../markdown/render.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { lockDefaultChannels } from "../../channels/default-channels/access.ts";
import { emitDefaultChannels } from "../../channels/default-channels/actions.ts";
import {
  channelPermissionNames,
  channelPermissionRule,
  storedChannelGroup,
  type ChannelPermission,
} from "../../organization/permissions/channel-permissions.ts";
import { storeGroupSetting, systemGroupIds } from "../../organization/permissions/group-settings.ts";
import { holdsRealmPermission } from "../../organization/permissions/held-permissions.ts";
import { isAdministrator, type Channel } from "../../channels/access.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { ensureActivityIsPlanned } from "../../channels/jobs.ts";
import { accessFolderForUse } from "../../channels/folders/access.ts";
import { isValidPrivacy } from "../../channels/privacy.ts";
import { toChannelObjects } from "../../channels/queries.ts";
import { accessRetention, toRetentionDays } from "../../channels/retention.ts";
import { accessTopicsPolicy } from "../../channels/topics/policy.ts";
import { accessWebPublicChannels } from "../../channels/web-public.ts";

export interface NewChannel {
  name: string;
  description: string;
}

/** The settings shared by all channels of one request. */
export interface NewChannelSettings {
  invite_only: boolean;
  is_web_public: boolean;
  is_default: boolean;
  /** A public channel's history is always shared. */
  history_public_to_subscribers: boolean;
  message_retention_days: number | null;
  /** Undefined: that of the organization. */
  topics_policy?: TopicsPolicy;
  folder_id?: number | null | undefined;
  permissions: Partial<Record<ChannelPermission, GroupSettingValue>>;
}

type NewChannelParams = ParamsOf<typeof api.createChannel>;

/** The settings of new channels, as requests give them. */
export function newChannelSettings(
  params: Omit<NewChannelParams, "name" | "subscribers" | "description">,
): NewChannelSettings {
  const permissions: NewChannelSettings["permissions"] = {};
  for (const name of channelPermissionNames) {
    const value = params[name];
    if (value !== undefined) permissions[name] = value;
  }
  return {
    invite_only: params.invite_only,
    is_web_public: params.is_web_public,
    is_default: params.is_default_stream,
    history_public_to_subscribers: !params.invite_only || (params.history_public_to_subscribers ?? false),
    message_retention_days: toRetentionDays(params.message_retention_days ?? "realm_default"),
    topics_policy: params.topics_policy,
    folder_id: params.folder_id,
    permissions,
  };
}

/**
 * Creates the channels whose names are free, and returns them. If two requests create the same name at once, the second
 * waits for the first and finds the name taken.
 */
export async function createChannels(
  tx: Tx,
  config: Pick<Config, "webPublicChannels">,
  creator: User,
  channels: readonly NewChannel[],
  settings: NewChannelSettings,
): Promise<Channel[]> {
  await accessChannelCreation(tx, config, creator, settings);
  if (settings.is_default) await lockDefaultChannels(tx, creator.realm_id);
  const groups = await storePermissions(tx, creator, settings.permissions);
  refuseTopicStarters(settings, groups.can_create_topic_group_id);
  if (groups.can_delete_any_message_group_id !== null || groups.can_delete_own_message_group_id !== null)
    await accessDeletionPolicy(tx, creator);
  const created = await insertChannels(tx, creator, channels, settings, groups);
  await announce(tx, created);
  await ensureActivityIsPlanned(tx, creator.realm_id);
  return created;
}

async function accessChannelCreation(
  tx: Tx,
  config: Pick<Config, "webPublicChannels">,
  user: User,
  settings: NewChannelSettings,
): Promise<void> {
  const permission = settings.invite_only ? "can_create_private_channel_group" : "can_create_public_channel_group";
  if (!(await holdsRealmPermission(tx, user, permission))) throw insufficientPermission();
  if (!isValidPrivacy(settings)) throw new ApiError("Invalid parameters");
  if (settings.is_web_public) await accessWebPublicChannels(tx, config, user);
  if (settings.is_default) {
    if (!isAdministrator(user)) throw insufficientPermission();
    if (settings.invite_only) throw new ApiError("A default channel cannot be private.");
  }
  if (settings.message_retention_days !== null) accessRetention(user);
  await accessTopicsPolicy(tx, user, settings.topics_policy ?? "inherit");
  if (typeof settings.folder_id === "number") await accessFolderForUse(tx, user.realm_id, settings.folder_id);
}

/** For a user who may decide who deletes messages in the channels that they administer. */
export async function accessDeletionPolicy(tx: Tx, user: User): Promise<void> {
  if (!(await holdsRealmPermission(tx, user, "can_set_delete_message_policy_group"))) throw insufficientPermission();
}

/** Where history is protected, who may start a topic could learn which ones there are already. */
export function refuseTopicStarters(channel: Pick<Channel, "history_public_to_subscribers">, starters: unknown): void {
  if (!channel.history_public_to_subscribers && starters !== null)
    throw new ApiError("Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group");
}

type PermissionGroups = Record<`${ChannelPermission}_id`, number | null>;

/** The group IDs of the given permissions, and of the defaults for the others. */
async function storePermissions(
  tx: Tx,
  creator: User,
  chosen: NewChannelSettings["permissions"],
): Promise<PermissionGroups> {
  const systemGroups = await systemGroupIds(tx, creator.realm_id);
  const creatorAlone = { direct_members: [creator.id], direct_subgroups: [] };
  const groups: [string, number | null | undefined][] = [];
  for (const name of channelPermissionNames) {
    const rule = channelPermissionRule(name);
    const value = chosen[name] ?? (rule.default === "channel_creator" ? creatorAlone : undefined);
    const id =
      value === undefined
        ? systemGroups.get(rule.default)
        : await storeGroupSetting(tx, creator.realm_id, name, value, rule);
    groups.push([`${name}_id`, id === undefined ? id : storedChannelGroup(name, id, systemGroups)]);
  }
  return Object.fromEntries(groups) as PermissionGroups; // one entry for each name, and system groups always exist
}

const permissionColumns = channelPermissionNames.map((name) => `${name}_id` as const);

/** Inserts in order of names, so that two requests that create the same channels at once cannot deadlock. */
async function insertChannels(
  tx: Tx,
  creator: User,
  channels: readonly NewChannel[],
  settings: NewChannelSettings,
  groups: PermissionGroups,
): Promise<Channel[]> {
  const { rows } = await sql<Channel>`
    with wanted as materialized (
      select nextval(pg_get_serial_sequence('conversations', 'id')) as id, w.*
      from (
        select * from unnest(
          ${channels.map((channel) => channel.name)}::text[],
          ${channels.map((channel) => channel.description)}::text[],
          ${channels.map((channel) => renderMarkdown(channel.description).html)}::text[]
        ) as w (name, description, rendered_description)
        order by lower(w.name)
      ) w
    ),
    made as (
      insert into channels (id, realm_id, name, description, rendered_description, creator_id, invite_only,
        is_web_public, is_default, history_public_to_subscribers, message_retention_days, topics_policy, folder_id,
        ${sql.raw(permissionColumns.join(", "))})
      select id, ${creator.realm_id}, name, description, rendered_description, ${creator.id}::bigint,
        ${settings.invite_only}, ${settings.is_web_public}, ${settings.is_default},
        ${settings.history_public_to_subscribers}, ${settings.message_retention_days}::integer,
        ${settings.topics_policy ?? "inherit"}, ${settings.folder_id ?? null}::bigint,
        ${sql.join(permissionColumns.map((name) => sql`${groups[name]}::bigint`))}
      from wanted order by id
      on conflict (realm_id, lower(name)) do nothing
      returning *
    ),
    conversation as (insert into conversations (id, realm_id) select id, realm_id from made)
    select * from made order by id`.execute(tx);
  return rows;
}

async function announce(tx: Tx, created: readonly Channel[]): Promise<void> {
  const [first] = created;
  if (!first) return;
  const realmId = first.realm_id;
  const objects = await toChannelObjects(tx, realmId, created);
  const audiences = await metadataAudiences(tx, created);
  for (const [index, channel] of created.entries()) {
    const event = { type: "stream", op: "create", streams: objects.slice(index, index + 1) };
    for (const audience of audiences(channel)) emit(tx, realmId, audience, event);
  }
  if (created.some((channel) => channel.is_default)) await emitDefaultChannels(tx, realmId);
}
