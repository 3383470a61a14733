/** Subscribing and unsubscribing by channel name: all of a request, or nothing. Missing channels are created. */
import type { TxContext } from "../../../context.ts";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isGuest, type Channel } from "../../channels/access.ts";
import { createChannels, type NewChannel, type NewChannelSettings } from "../channels/create.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { announceNewChannels } from "../channels/notices.ts";
import { listDefaultChannels } from "../../channels/default-channels/queries.ts";
import { isSelfOrOwnBot, loadChannelsWithRights, type ChannelWithRights } from "../../channels/subscriptions/access.ts";
import { addSubscribers, type AddedSubscription } from "./add-subscribers.ts";
import { resolveNames, type NamedChannel } from "../../channels/subscriptions/names.ts";
import { subscribeNewcomer } from "./newcomer.ts";
import { enqueueNotices } from "./notices.ts";
import type { Principal } from "../../channels/subscriptions/access.ts";
import { removeSubscribers } from "./remove-subscribers.ts";

export interface RequestedChannel extends NewChannel {
  /** The color for new subscribers. */
  color?: string | undefined;
}

export interface SubscribeRequest {
  channels: RequestedChannel[];
  /** For channels that have to be created. */
  settings: NewChannelSettings;
  principals: Principal[];
  errorsAreFatal: boolean;
  /** Whether people who are subscribed by somebody else are notified. */
  sendsNotices: boolean;
  /** Whether new channels are announced in the organization. */
  isAnnounced: boolean;
}

type NamesByUser = Record<string, string[]>;

export interface SubscribeResult {
  subscribed: NamesByUser;
  already_subscribed: NamesByUser;
  unauthorized: string[];
  /** Undefined if nobody was to be notified. */
  new_subscription_messages_sent?: boolean;
}

/** What a request has changed, for the audit log. */
export interface SubscriptionChanges {
  created: readonly Pick<Channel, "id" | "name">[];
  changed: readonly { user_id: number; channel_id: number }[];
}

export async function subscribe(
  tx: Tx,
  ctx: TxContext,
  user: User,
  request: SubscribeRequest,
): Promise<SubscribeResult & SubscriptionChanges> {
  if (isGuest(user)) throw new ApiError("Not allowed for guest users");
  const { resolved, created } = await findOrCreate(tx, ctx, user, request);
  const ids = resolved.flatMap((named) => named.channel_id ?? []);
  const boundary = await lockChannelsForSubscriptionChange(tx, ids);
  const judged = await loadChannelsWithRights(tx, user, ids);
  const isNew = (channel: Channel) => created.some(({ id }) => id === channel.id);
  const others = request.principals.some((principal) => principal.id !== user.id);
  const mayUse = (channel: ChannelWithRights) => isNew(channel) || (channel.may_join && (!others || channel.may_add));
  const refused = judged.filter((channel) => !mayUse(channel));
  const [first] = refused;
  if (first && request.errorsAreFatal)
    throw first.may_join ? insufficientPermission() : new ApiError(`Unable to access channel (${first.name}).`);

  const channels = judged.filter(mayUse);
  const userIds = request.principals.map((principal) => principal.id);
  const added = await addSubscribers(tx, user.realm_id, boundary, channels, userIds, colors(request, resolved));
  const known = new Set(channels.filter((channel) => !isNew(channel)).map((channel) => channel.id));
  const news = added.filter((row) => known.has(row.channel_id));
  const sent = request.sendsNotices
    ? { new_subscription_messages_sent: await enqueueNotices(tx, user, request.principals, news) }
    : {};
  if (request.isAnnounced) await announceNewChannels(tx, ctx, user, created);
  const unauthorized = refused.map((channel) => channel.name);
  return { ...namesByUser(channels, userIds, added), ...sent, unauthorized, created, changed: added };
}

export interface CreateRequest {
  named: NewChannel;
  settings: NewChannelSettings;
  principals: Principal[];
  isAnnounced: boolean;
}

/** Creates one channel with its first subscribers, who are not told. */
export async function createChannel(
  tx: Tx,
  ctx: TxContext,
  user: User,
  { named, settings, principals, isAnnounced }: CreateRequest,
): Promise<SubscriptionChanges & { id: number }> {
  if (isGuest(user)) throw new ApiError("Not allowed for guest users");
  const created = await createChannels(tx, ctx.config, user, [named], settings);
  const [channel] = created;
  if (!channel) throw channelExists(named.name);
  const boundary = await lockChannelsForSubscriptionChange(tx, [channel.id]);
  const userIds = principals.map((principal) => principal.id);
  const changed = await addSubscribers(tx, user.realm_id, boundary, created, userIds);
  if (isAnnounced) await announceNewChannels(tx, ctx, user, created);
  return { id: channel.id, created, changed };
}

const channelExists = (name: string) =>
  new ApiError(`Channel '${name}' already exists`, {
    status: 409,
    code: "CHANNEL_ALREADY_EXISTS",
    data: { channel_name: name },
  });

/** Other requests may create or rename channels concurrently, so this repeats until each name has its channel. */
async function findOrCreate(tx: Tx, ctx: TxContext, user: User, { channels, settings }: SubscribeRequest) {
  const names = channels.map((channel) => channel.name);
  const created: Channel[] = [];
  for (;;) {
    const resolved = await resolveNames(tx, user.realm_id, names);
    const missing = resolved.filter((named) => named.channel_id === null).map((named) => named.name);
    if (missing.length === 0) return { resolved, created };
    const toCreate = missing.flatMap((name) => channels.find((channel) => channel.name === name) ?? []);
    created.push(...(await createChannels(tx, ctx.config, user, toCreate, settings)));
  }
}

/** The requested colors, by channel. */
function colors({ channels }: SubscribeRequest, resolved: readonly NamedChannel[]): Map<number, string> {
  return new Map(
    resolved.flatMap(({ name, channel_id }) => {
      const color = channels.find((channel) => channel.name === name)?.color;
      return channel_id === null || color === undefined ? [] : [[channel_id, color] as const];
    }),
  );
}

function namesByUser(channels: readonly Channel[], userIds: readonly number[], added: readonly AddedSubscription[]) {
  const isNew = new Set(added.map(({ user_id, channel_id }) => `${user_id}/${channel_id}`));
  const subscribed: NamesByUser = {};
  const already_subscribed: NamesByUser = {};
  for (const userId of userIds) {
    for (const channel of channels) {
      const names = isNew.has(`${userId}/${channel.id}`) ? subscribed : already_subscribed;
      (names[userId] ??= []).push(channel.name);
    }
  }
  return { subscribed, already_subscribed };
}

/** For a user who has just joined. */
export async function subscribeToDefaultChannels(tx: Tx, user: Pick<User, "id" | "realm_id" | "role">): Promise<void> {
  if (isGuest(user)) return;
  const channels = await listDefaultChannels(tx, user.realm_id);
  if (channels.length === 0) return;
  const boundary = await lockChannelsForSubscriptionChange(
    tx,
    channels.map((channel) => channel.id),
  );
  await subscribeNewcomer(tx, user, boundary, channels);
}

export interface UnsubscribeResult {
  removed: string[];
  not_removed: string[];
}

export async function unsubscribe(
  tx: Tx,
  user: User,
  names: readonly string[],
  principals: readonly Principal[],
): Promise<UnsubscribeResult & Pick<SubscriptionChanges, "changed">> {
  const resolved = await resolveNames(tx, user.realm_id, names);
  const ids = resolved.flatMap((named) => named.channel_id ?? []);
  const boundary = await lockChannelsForSubscriptionChange(tx, ids);
  const channels = await loadChannelsWithRights(tx, user, ids);
  const known = new Set(channels.filter((channel) => channel.is_known).map((channel) => channel.id));
  const unknown = resolved.filter((named) => named.channel_id === null || !known.has(named.channel_id));
  if (unknown.length > 0)
    throw new ApiError(`Channel(s) (${unknown.map((named) => named.name).join(", ")}) do not exist`);
  const others = principals.some((principal) => !isSelfOrOwnBot(user, principal));
  if (others && !channels.every((channel) => channel.may_remove)) throw insufficientPermission();

  const userIds = principals.map((principal) => principal.id);
  const left = await removeSubscribers(tx, user.realm_id, boundary, channels, userIds);
  const changed = new Set(left.map((row) => row.channel_id));
  return {
    removed: channels.filter((channel) => changed.has(channel.id)).map((channel) => channel.name),
    not_removed: channels.filter((channel) => !changed.has(channel.id)).map((channel) => channel.name),
    changed: left,
  };
}
