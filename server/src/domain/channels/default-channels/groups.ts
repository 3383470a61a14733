/** Groups of channels that new users can choose from. A default channel cannot be in such a group. */
import { ApiError } from "../../../errors.ts";
import { toNonGuests } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessReadableChannels, type Channel } from "../access.ts";
import { accessDefaultChannelsForUpdate } from "./access.ts";
import { listDefaultChannelGroups } from "./queries.ts";

interface Group {
  id: number;
  name: string;
}

interface NewGroup {
  name: string;
  description: string;
  channelNames: readonly string[];
}

/** Returns its id. */
export async function createGroup(tx: Tx, user: User, { name, description, channelNames }: NewGroup): Promise<number> {
  await accessDefaultChannelsForUpdate(tx, user);
  const checked = toGroupName(name);
  const channels = await accessGroupChannels(tx, user, checked, channelNames);
  return addGroup(tx, user.realm_id, { name: checked, description, channels });
}

/** The caller has locked the default channels, and checked permissions and channels. Returns its id. */
export async function addGroup(
  tx: Tx,
  realmId: number,
  { name, description, channels }: { name: string; description: string; channels: readonly { id: number }[] },
): Promise<number> {
  await refuseTakenName(tx, realmId, name);
  const { id } = await tx
    .insertInto("default_channel_groups")
    .values({ realm_id: realmId, name, description })
    .returning("id")
    .executeTakeFirstOrThrow();
  await insertChannels(tx, realmId, id, channels);
  await emitGroups(tx, realmId);
  return id;
}

export async function updateGroup(
  tx: Tx,
  user: User,
  id: number,
  { name, description }: { name?: string | undefined; description?: string | undefined },
): Promise<void> {
  const group = await accessGroup(tx, user, id);
  if (name !== undefined) {
    const checked = toGroupName(name);
    if (checked === group.name) throw new ApiError(`This default channel group is already named '${checked}'`);
    await refuseTakenName(tx, user.realm_id, checked);
    await tx.updateTable("default_channel_groups").set({ name: checked }).where("id", "=", id).execute();
  }
  if (description !== undefined)
    await tx.updateTable("default_channel_groups").set({ description }).where("id", "=", id).execute();
  await emitGroups(tx, user.realm_id);
}

export async function addGroupChannels(
  tx: Tx,
  user: User,
  groupId: number,
  channelNames: readonly string[],
): Promise<void> {
  const group = await accessGroup(tx, user, groupId);
  const channels = await accessGroupChannels(tx, user, group.name, channelNames);
  const present = await channelIds(tx, group);
  const already = channels.find((channel) => present.has(channel.id));
  if (already)
    throw new ApiError(`Channel '${already.name}' is already present in default channel group '${group.name}'`);
  await insertChannels(tx, user.realm_id, group.id, channels);
  await emitGroups(tx, user.realm_id);
}

export async function removeGroupChannels(
  tx: Tx,
  user: User,
  groupId: number,
  channelNames: readonly string[],
): Promise<void> {
  const group = await accessGroup(tx, user, groupId);
  const channels = await accessReadableChannels(tx, user, channelNames);
  const present = await channelIds(tx, group);
  const absent = channels.find((channel) => !present.has(channel.id));
  if (absent) throw new ApiError(`Channel '${absent.name}' is not present in default channel group '${group.name}'`);
  if (channels.length === 0) return;
  await tx
    .deleteFrom("default_channel_group_channels")
    .where("group_id", "=", group.id)
    .where(
      "channel_id",
      "in",
      channels.map((channel) => channel.id),
    )
    .execute();
  await emitGroups(tx, user.realm_id);
}

export async function removeGroup(tx: Tx, user: User, id: number): Promise<void> {
  await accessGroup(tx, user, id);
  await tx.deleteFrom("default_channel_groups").where("id", "=", id).execute();
  await emitGroups(tx, user.realm_id);
}

/** For an archived channel, which is no longer offered. The caller has locked the default channels. */
export async function removeFromGroups(tx: Tx, channel: Channel): Promise<void> {
  const removed = await tx
    .deleteFrom("default_channel_group_channels")
    .where("realm_id", "=", channel.realm_id)
    .where("channel_id", "=", channel.id)
    .returning("group_id")
    .execute();
  if (removed.length > 0) await emitGroups(tx, channel.realm_id);
}

function toGroupName(text: string): string {
  const name = text.trim();
  if (name === "") throw new ApiError(`Invalid default channel group name '${name}'`);
  if (name.includes("\u0000"))
    throw new ApiError(`Default channel group name '${name}' contains NULL (0x00) characters.`);
  return name;
}

async function accessGroup(tx: Tx, user: User, id: number): Promise<Group> {
  await accessDefaultChannelsForUpdate(tx, user);
  const group = await tx
    .selectFrom("default_channel_groups")
    .select(["id", "name"])
    .where("realm_id", "=", user.realm_id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!group) throw new ApiError(`Default channel group with id '${id}' does not exist.`);
  return group;
}

async function accessGroupChannels(
  tx: Tx,
  user: User,
  groupName: string,
  channelNames: readonly string[],
): Promise<Channel[]> {
  const channels = await accessReadableChannels(tx, user, channelNames);
  const defaultChannel = channels.find((channel) => channel.is_default);
  if (defaultChannel)
    throw new ApiError(`'${defaultChannel.name}' is a default channel and cannot be added to '${groupName}'`);
  return channels;
}

async function refuseTakenName(tx: Tx, realmId: number, name: string): Promise<void> {
  const taken = await tx
    .selectFrom("default_channel_groups")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("name", "=", name)
    .executeTakeFirst();
  if (taken) throw new ApiError(`Default channel group '${name}' already exists`);
}

async function channelIds(tx: Tx, group: Group): Promise<Set<number>> {
  const rows = await tx
    .selectFrom("default_channel_group_channels")
    .select("channel_id")
    .where("group_id", "=", group.id)
    .execute();
  return new Set(rows.map((row) => row.channel_id));
}

async function insertChannels(
  tx: Tx,
  realmId: number,
  groupId: number,
  channels: readonly { id: number }[],
): Promise<void> {
  if (channels.length === 0) return;
  await tx
    .insertInto("default_channel_group_channels")
    .values(channels.map((channel) => ({ group_id: groupId, channel_id: channel.id, realm_id: realmId })))
    .execute();
}

async function emitGroups(tx: Tx, realmId: number): Promise<void> {
  const default_stream_groups = await listDefaultChannelGroups(tx, realmId);
  emit(tx, realmId, toNonGuests, { type: "default_stream_groups", default_stream_groups });
}
