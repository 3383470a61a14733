/**
 * Subscribes any number of users to any number of channels in a few statements, after permissions have been checked. The
 * events are those of single subscriptions: a user who could not see a channel first receives the channel, then the
 * subscription; everybody who can see the channel receives the new subscribers.
 */
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import { toUsers } from "../../../events/audience.ts";
import { emit, emitSubscriptionChange } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { metadataAudiences, type Audiences } from "../../channels/audience.ts";
import { inChunks } from "../../base/chunks.ts";
import { forQueues, type Kind } from "../../channels/event-shapes.ts";
import { toChannelObjects, withoutSubscribers } from "../../channels/queries.ts";
import { noteShownTopics } from "../../channels/user-topics/shown-topics.ts";
import { usersVisibleToGuests } from "../../people/users/guest-view.ts";
import { emitVisibilityChanges } from "../../people/users/visibility-changes.ts";
import { channelColors } from "../../channels/subscriptions/color.ts";
import type { SubscriptionsAdded } from "../../channels/subscriptions/event-shapes.ts";
import { notificationDefaults } from "../../channels/subscriptions/notifications.ts";
import { personalColumns, toSubscriptionObject, type PersonalSettings } from "../../channels/subscriptions/queries.ts";
import { listSubscribers } from "../../channels/subscriptions/subscribers.ts";
import { listUsersWithoutAccess } from "../../channels/subscriptions/without-access.ts";

export interface AddedSubscription {
  user_id: number;
  channel_id: number;
}

/** The channels must be locked; `boundary` is the result of the lock. Returns the new subscriptions. */
export async function addSubscribers(
  tx: Tx,
  realmId: number,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
  colors: ReadonlyMap<number, string> = new Map(),
): Promise<AddedSubscription[]> {
  if (channels.length === 0) return [];
  const strangers = await listUsersWithoutAccess(tx, channels, userIds);
  const channelIds = channels.map((channel) => channel.id);
  const visibleBefore = await usersVisibleToGuests(tx, realmId, { userIds, channelIds });
  const emitTopicChanges = await noteShownTopics(tx, realmId, { userIds, channelIds });
  const added = await insertSubscriptions(tx, realmId, boundary, channels, userIds, colors);
  if (added.length === 0) return [];
  await emitVisibilityChanges(tx, realmId, visibleBefore);

  const byChannel = Map.groupBy(added, (row) => row.channel_id);
  const changed = channels.filter((channel) => byChannel.has(channel.id));
  const objects = await toChannelObjects(tx, realmId, changed);
  const subscribers = await listSubscribers(tx, changed);
  const audiences = await metadataAudiences(tx, changed, boundary);
  for (const [index, channel] of changed.entries()) {
    const object = objects[index];
    if (!object) throw new Error("there is an object for each channel");
    emitAdded(tx, realmId, boundary, {
      object,
      added: byChannel.get(channel.id) ?? [],
      strangers: strangers.get(channel.id) ?? new Set(),
      subscribers: subscribers.get(channel.id) ?? [],
      audiences: audiences(channel),
    });
  }
  await emitTopicChanges();
  return added;
}

/** A subscriber, with the settings that their subscription object depends on. */
export type Subscriber = PersonalSettings & { user_id: number; settings: unknown };
type NewSubscriber = AddedSubscription & Subscriber;

/** Starts a new range of received messages. A returning subscriber keeps their settings, except for a requested color. */
async function insertSubscriptions(
  tx: Tx,
  realmId: number,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
  colors: ReadonlyMap<number, string>,
): Promise<NewSubscriber[]> {
  const personal = sql.join(personalColumns.map((name) => sql.ref(`subscriptions.${name}`)));
  const { rows } = await sql<NewSubscriber>`
    with newcomer as materialized (
      select u.id, count(s.user_id) as subscriptions
      from unnest(${userIds}::bigint[]) as u (id) left join subscriptions s on s.user_id = u.id
      group by u.id
    ),
    added as (
      insert into subscriptions (user_id, channel_id, realm_id, received, color)
      select n.id, c.id, ${realmId}, int8multirange(int8range(${boundary}, null)),
        coalesce(c.color, (${channelColors}::text[])[(n.subscriptions + c.position - 1) % ${channelColors.length} + 1])
      from newcomer n cross join unnest(${channels.map((channel) => channel.id)}::bigint[],
        ${channels.map((channel) => colors.get(channel.id) ?? null)}::text[]) with ordinality as c (id, color, position)
      on conflict (user_id, channel_id) do update
        set active = true, received = subscriptions.received + excluded.received,
          color = case when excluded.channel_id = any(${[...colors.keys()]}::bigint[]) then excluded.color
            else subscriptions.color end
        where not subscriptions.active
      returning user_id, channel_id, ${personal}
    )
    select a.*, u.settings from added a join users u on u.id = a.user_id
    order by a.channel_id, a.user_id`.execute(tx);
  return rows;
}

interface NewSubscribers {
  object: PlainChannel;
  added: NewSubscriber[];
  strangers: ReadonlySet<number>;
  /** All subscribers, including the new ones. */
  subscribers: number[];
  audiences: Audiences;
}

function emitAdded(tx: Tx, realmId: number, boundary: number, change: NewSubscribers): void {
  const { object, added, strangers } = change;
  const channelId = object.stream_id;
  const rows = new Map(added.map((row) => [row.user_id, row]));
  const known = new Set(change.subscribers.filter((id) => !rows.has(id)));
  for (const users of inChunks([...rows.keys()])) {
    emitSubscriptionChange(tx, realmId, { channel: channelId, users, from: boundary });
    const unaware = users.filter((id) => strangers.has(id));
    if (unaware.length > 0) {
      const streams = [withoutSubscribers(object)];
      emit(tx, realmId, toUsers(unaware), { type: "stream", op: "create", streams });
    }
    for (const id of users) known.add(id);
    const chunk = users.flatMap((id) => rows.get(id) ?? []);
    emitSubscriptions(
      tx,
      realmId,
      object,
      chunk,
      [...known].toSorted((a, b) => a - b),
    );
    const event = { type: "subscription", op: "peer_add", stream_ids: [channelId], user_ids: users };
    for (const audience of change.audiences) emit(tx, realmId, { ...audience, except: users }, event);
  }
}

/**
 * Emits users' own subscriptions to a channel: one event for all whose subscriptions are equal. Subscribers that do not fit
 * into it follow in further events.
 */
export function emitSubscriptions(
  tx: Tx,
  realmId: number,
  object: PlainChannel,
  rows: readonly Subscriber[],
  subscribers: readonly number[],
  only?: Kind,
): void {
  const [first = [], ...rest] = inChunks(subscribers);
  const alike = Map.groupBy(rows, ({ user_id: _, settings, ...personal }) =>
    JSON.stringify([personal, notificationDefaults(settings)]),
  );
  for (const group of alike.values()) {
    const [example] = group;
    if (!example) continue;
    const event: SubscriptionsAdded = {
      type: "subscription",
      op: "add",
      // Those in further events are counted by them.
      subscriptions: [
        toSubscriptionObject({ ...object, subscriber_count: first.length }, example, { subscribers: [...first] }),
      ],
      defaults: notificationDefaults(example.settings),
    };
    emit(tx, realmId, toUsers(group.map((row) => row.user_id)), only ? forQueues(only, event) : event);
  }
  const users = rows.map((row) => row.user_id);
  for (const user_ids of rest)
    emit(tx, realmId, toUsers(users), {
      type: "subscription",
      op: "peer_add",
      stream_ids: [object.stream_id],
      user_ids,
    });
}
