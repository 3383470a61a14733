/**
 * Subscribing, once it is settled that it may be done: any number of users to any number of channels in a few
 * statements. Everybody's news are those of a row of single subscriptions: a user who could not know of a channel first
 * hears that it exists, then of the own subscription; whoever may know of the channel hears of the new peers.
 */
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import { toUsers } from "../../events/audience.ts";
import { emit, emitSubscriptionChange } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { metadataAudiences, type Audiences } from "../channels/audience.ts";
import { inChunks } from "../channels/chunks.ts";
import { forQueues, type Kind } from "../channels/event-shapes.ts";
import { toChannelObjects } from "../channels/queries.ts";
import { noteShownTopics } from "../user-topics/in-sight.ts";
import { sightsOfGuests } from "../users/guest-view.ts";
import { emitPeopleInSight } from "../users/people-in-sight.ts";
import { channelColors } from "./color.ts";
import type { SubscriptionsAdded } from "./event-shapes.ts";
import { notificationDefaults } from "./notifications.ts";
import { listSubscribers, personalColumns, toSubscriptionObject, type PersonalSettings } from "./queries.ts";
import { listStrangers } from "./strangers.ts";

export interface Added {
  user_id: number;
  channel_id: number;
}

/** The channels are locked for it, and `boundary` is what the lock gave. Tells who is new where. */
export async function addSubscribers(
  tx: Tx,
  realmId: number,
  boundary: number,
  channels: readonly Channel[],
  userIds: readonly number[],
  colors: ReadonlyMap<number, string> = new Map(),
): Promise<Added[]> {
  if (channels.length === 0) return [];
  const strangers = await listStrangers(tx, channels, userIds);
  const channelIds = channels.map((channel) => channel.id);
  const sights = await sightsOfGuests(tx, realmId, { userIds, channelIds });
  const tellOfTopics = await noteShownTopics(tx, realmId, { userIds, channelIds });
  const added = await insertSubscriptions(tx, realmId, boundary, channels, userIds, colors);
  if (added.length === 0) return [];
  await emitPeopleInSight(tx, realmId, sights);

  const byChannel = Map.groupBy(added, (row) => row.channel_id);
  const changed = channels.filter((channel) => byChannel.has(channel.id));
  const objects = await toChannelObjects(tx, realmId, changed);
  const subscribers = await listSubscribers(tx, changed);
  const audiences = await metadataAudiences(tx, changed, boundary);
  for (const [index, channel] of changed.entries()) {
    const object = objects[index];
    if (!object) throw new Error("there is an object for each channel");
    announce(tx, realmId, boundary, {
      object,
      added: byChannel.get(channel.id) ?? [],
      strangers: strangers.get(channel.id) ?? new Set(),
      subscribers: subscribers.get(channel.id) ?? [],
      audiences: audiences(channel),
    });
  }
  await tellOfTopics();
  return added;
}

/** Somebody in a channel, with what decides how their subscription looks. */
export type Subscriber = PersonalSettings & { user_id: number; settings: unknown };
type NewSubscriber = Added & Subscriber;

/** A new range of received messages opens. Who comes back finds settings as they were, but for a color asked for. */
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
  /** All of them, the new ones included. */
  subscribers: number[];
  audiences: Audiences;
}

function announce(tx: Tx, realmId: number, boundary: number, news: NewSubscribers): void {
  const { object, added, strangers } = news;
  const channelId = object.stream_id;
  const rows = new Map(added.map((row) => [row.user_id, row]));
  const known = new Set(news.subscribers.filter((id) => !rows.has(id)));
  for (const users of inChunks([...rows.keys()])) {
    emitSubscriptionChange(tx, realmId, { channel: channelId, users, from: boundary });
    const surprised = users.filter((id) => strangers.has(id));
    if (surprised.length > 0)
      emit(tx, realmId, toUsers(surprised), { type: "stream", op: "create", streams: [object] });
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
    for (const audience of news.audiences) emit(tx, realmId, { ...audience, except: users }, event);
  }
}

/**
 * Tells people that they are in a channel: one event for all whose subscriptions look the same. The peers that do not fit
 * in it follow.
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
      subscriptions: [toSubscriptionObject(object, example, first)],
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
