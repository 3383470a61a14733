/** What channels decide for themselves: their topics, and who may move, resolve and delete in them. */
import { randomBytes } from "node:crypto";
import { createBot } from "@skein/api/bots.ts";
import { createChannel, getChannel, getSubscribers, updateChannel } from "@skein/api/channels.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { applyEvent } from "@skein/api/apply-event.ts";
import type { Event } from "@skein/api/events.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { createScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { deactivateUser, reactivateUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { channelOf, messageFor, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { groupId, only } from "../../../../test/groups.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { capabilities, newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";

let realm: TestRealm;
let [hamlet, horatio, ophelia]: TestUser[] = [];
let nobody: number;
let everyone: number;

beforeAll(async () => {
  realm = await newRealm();
  [hamlet, horatio, ophelia] = [await realm.user("hamlet"), await realm.user("horatio"), await realm.user("ophelia")];
  nobody = await groupId(realm, "role:nobody");
  everyone = await groupId(realm, "role:everyone");
});

const people = (): [TestUser, TestUser, TestUser] => {
  if (!hamlet || !horatio || !ophelia) throw new Error("they are made before all tests");
  return [hamlet, horatio, ophelia];
};
let count = 0;
/** A channel that the first of the three administers. */
const fresh = () => channelOf(people(), `court ${++count}`);
const change = (user: TestUser, { id }: TestChannel, params: Omit<ArgumentsOf<typeof updateChannel>, "stream_id">) =>
  user.call(updateChannel, { stream_id: id, ...params });
const shown = async (user: TestUser, { id }: Pick<TestChannel, "id">) =>
  success(await user.call(getChannel, { stream_id: id })).stream;
const send = (user: TestUser, { id }: TestChannel, topic: string) =>
  user.call(sendMessage, { type: "channel", to: id, topic, content: "words" });
const move = (user: TestUser, message_id: number, to: { topic?: string; stream_id?: number }) =>
  user.call(updateMessage, { message_id, propagate_mode: "change_all", ...to });

/** Changes settings of the organization while something is done. */
async function withRealm(params: ArgumentsOf<typeof updateRealm>, act: () => Promise<void>, back: typeof params) {
  success(await realm.admin.call(updateRealm, params));
  await act();
  success(await realm.admin.call(updateRealm, back));
}

const noEmptyTopic = {
  result: "error",
  code: "BAD_REQUEST",
  msg: "Sending messages to the general chat is not allowed in this channel.",
  empty_topic_display_name: "general chat",
};
const onlyEmptyTopic = { ...noEmptyTopic, msg: "Only the general chat topic is allowed in this channel." };

test("a channel can refuse messages without a topic, or those with one", async () => {
  const [maker, friend] = people();
  const channel = await fresh();
  const elsewhere = await fresh();
  expect((await shown(friend, channel)).topics_policy).toBe("inherit");
  success(await send(friend, channel, ""));
  const named = await sendToChannel(friend, channel, { topic: "talk" });
  const other = await sendToChannel(friend, elsewhere, { topic: "talk" });

  success(await change(maker, channel, { topics_policy: "disable_empty_topic" }));
  for (const topic of ["", "general chat", "(no topic)"])
    expect(await send(friend, channel, topic)).toEqual(noEmptyTopic);
  success(await send(friend, channel, "talk"));
  expect(await move(maker, named, { topic: "" })).toEqual(noEmptyTopic);
  const later = { type: "channel", to: channel.id, content: "x", scheduled_delivery_timestamp: 4_000_000_000 } as const;
  expect(await friend.call(createScheduledMessage, { ...later, topic: "" })).toEqual(noEmptyTopic);

  expect(await change(maker, channel, { topics_policy: "empty_topic_only" })).toEqual({
    ...noEmptyTopic,
    msg:
      "To enable this configuration, all messages in this channel must be in the general chat topic. " +
      "Consider renaming or deleting other topics.",
  });
  success(await change(maker, channel, { topics_policy: "allow_empty_topic" }));
  // The notices of the changes, too.
  success(await move(maker, named, { topic: "" }));
  const { rows } = await sql<{ id: number }>`
    select min(m.id) as id from messages m join topics t on t.id = m.topic_id
    where t.channel_id = ${channel.id} and t.name <> ''`.execute(realm.ctx.db);
  success(await move(maker, rows[0]?.id ?? 0, { topic: "" }));
  success(await change(maker, channel, { topics_policy: "empty_topic_only" }));
  success(await send(friend, channel, "general chat"));
  expect(await send(friend, channel, "new")).toEqual(onlyEmptyTopic);
  expect(await send(friend, channel, "talk")).toEqual(onlyEmptyTopic);
  expect(await move(realm.admin, other, { stream_id: channel.id })).toEqual(onlyEmptyTopic);
  success(await change(maker, channel, { description: "A notice goes to the empty topic." }));
  const notice = await sql<{ topic: string }>`
    select t.name as topic from messages m join topics t on t.id = m.topic_id
    where t.channel_id = ${channel.id} order by m.id desc limit 1`.execute(realm.ctx.db);
  expect(notice.rows).toEqual([{ topic: "" }]);
});

test("a channel inherits the organization's policy, which older clients know as mandatory topics", async () => {
  const [maker, friend] = people();
  const [channel, open] = [await fresh(), await fresh()];
  success(await change(maker, open, { topics_policy: "allow_empty_topic" }));
  success(await send(friend, channel, ""));
  const queue = await friend.register(["realm"], ["realm"]);
  expect(queue.state).toMatchObject({ realm_topics_policy: "allow_empty_topic", realm_mandatory_topics: false });
  const act = async () => {
    expect(await queue.next()).toMatchObject({ property: "mandatory_topics", value: true });
    expect(await queue.next()).toMatchObject({ property: "topics_policy", value: "disable_empty_topic" });
    expect(await send(friend, channel, "")).toEqual(noEmptyTopic);
    success(await send(friend, open, ""));
  };
  await withRealm({ topics_policy: "disable_empty_topic" }, act, { mandatory_topics: false });
  success(await send(friend, channel, ""));
});

test("the policy takes the channel's administrators and the organization's group; inheriting needs no group", async () => {
  const [maker, friend] = people();
  const channel = await fresh();
  const set = (user: TestUser, topics_policy: "inherit" | "disable_empty_topic") =>
    change(user, channel, { topics_policy });
  expect((await set(friend, "disable_empty_topic")).msg).toBe("You do not have permission to administer this channel.");
  const act = async () => {
    expect((await set(maker, "disable_empty_topic")).msg).toBe("Insufficient permission");
    success(await set(realm.admin, "disable_empty_topic"));
    success(await set(maker, "inherit"));
    const wanted = maker.call(subscribe, {
      subscriptions: [{ name: "kitchen" }],
      topics_policy: "disable_empty_topic",
    });
    expect((await wanted).msg).toBe("Insufficient permission");
  };
  const members = await groupId(realm, "role:members");
  const setTo = (group: number) => ({ can_set_topics_policy_group: { new: group } });
  await withRealm(setTo(nobody), act, setTo(members));
});

test("a channel can limit who starts topics; resolving starts none", async () => {
  const [maker, friend, other] = people();
  const channel = await fresh();
  const elsewhere = await fresh();
  const [hers, free] = [await sendToChannel(friend, channel, { topic: "hers" }), await sendToChannel(maker, elsewhere)];
  await sendToChannel(friend, channel, { topic: "known" });
  expect((await shown(friend, channel)).can_create_topic_group).toBe(everyone);
  success(await change(maker, channel, { can_create_topic_group: { new: only(maker) } }));
  const refused = {
    result: "error",
    code: "BAD_REQUEST",
    msg: "You do not have permission to create new topics in this channel.",
  };

  expect(await send(friend, channel, "new")).toEqual(refused);
  expect(await send(friend, channel, "")).toEqual(refused);
  success(await send(friend, channel, "KNOWN"));
  success(await send(maker, channel, "by the maker"));
  expect(await move(friend, hers, { topic: "other" })).toEqual(refused);
  expect(await move(other, free, { stream_id: channel.id, topic: "other" })).toEqual(refused);
  success(await move(friend, hers, { topic: "✔ hers" }));
  success(await move(friend, hers, { topic: "known" }));
  // A topic whose messages are all gone is not there.
  expect(await send(friend, channel, "✔ hers")).toEqual(refused);
  for (const [owner, result] of [
    [maker, "success"],
    [friend, "error"],
  ] as const) {
    const made = success(await owner.call(createBot, { full_name: `Bot ${++count}`, short_name: `bot${count}` }));
    const bot = new TestUser(realm, made.user_id, `bot${count}-bot@${realm.host}`, "", made.api_key);
    expect((await send(bot, channel, `by bot ${count}`)).result).toBe(result);
  }
  success(await change(maker, channel, { can_create_topic_group: { new: everyone, old: only(maker) } }));
  success(await send(friend, channel, "new"));

  const closet = await channelOf(people(), `closet ${++count}`, { isPrivate: true, hasSharedHistory: false });
  const incompatible = "Unsupported parameter combination: history_public_to_subscribers, can_create_topic_group";
  expect(await change(maker, closet, { can_create_topic_group: { new: only(maker) } })).toMatchObject({
    msg: incompatible,
  });
});

test("a channel can permit moves and resolving that the organization does not, to those who can read it", async () => {
  const [maker, friend, other] = people();
  const [source, target] = [await fresh(), await fresh()];
  const all = [
    "can_move_messages_between_topics_group",
    "can_move_messages_between_channels_group",
    "can_resolve_topics_group",
  ] as const;
  const closed = Object.fromEntries(all.map((name) => [name, { new: nobody }]));
  const members = await groupId(realm, "role:members");
  const refusedTopic = { msg: "You don't have permission to edit this message" };
  const refusedChannel = { msg: "You don't have permission to move this message" };
  const refusedResolving = { msg: "You don't have permission to resolve topics." };
  const next = (topic = "talk") => sendToChannel(maker, source, { topic });
  const act = async () => {
    expect(await move(friend, await next(), { topic: "walk" })).toMatchObject(refusedTopic);
    expect(await move(friend, await next(), { stream_id: target.id })).toMatchObject(refusedChannel);
    success(await move(maker, await next("one"), { topic: "walk" }));
    success(await move(maker, await next("two"), { stream_id: target.id, topic: "walk" }));
    expect(await move(maker, await next("three"), { topic: "✔ three" })).toMatchObject(refusedResolving);

    success(await change(maker, source, { can_move_messages_within_channel_group: { new: only(friend) } }));
    success(await move(friend, await next("four"), { topic: "walk" }));
    expect(await move(friend, await next("five"), { stream_id: target.id })).toMatchObject(refusedChannel);
    expect(await move(other, await next("five"), { topic: "walk" })).toMatchObject(refusedTopic);

    success(await change(maker, source, { can_move_messages_out_of_channel_group: { new: only(other) } }));
    expect(await move(other, await next("six"), { stream_id: target.id, topic: "walk" })).toMatchObject(refusedTopic);
    success(await move(other, await next("six"), { stream_id: target.id }));
    success(await change(maker, target, { can_move_messages_within_channel_group: { new: only(other) } }));
    success(await move(other, await next("seven"), { stream_id: target.id, topic: "walk" }));

    success(await change(maker, source, { can_resolve_topics_group: { new: only(other) } }));
    const eight = await next("eight");
    success(await move(other, eight, { topic: "✔ eight" }));
    expect(await messageFor(friend, eight)).toMatchObject({ subject: "✔ eight" });
    expect(await move(other, eight, { topic: "nine" })).toMatchObject(refusedTopic);
  };
  const open = {
    can_move_messages_between_topics_group: { new: everyone },
    can_move_messages_between_channels_group: { new: members },
    can_resolve_topics_group: { new: everyone },
  };
  await withRealm(closed, act, open);
});

test("a channel can permit deletions that the organization does not; its administrators do not decide on it alone", async () => {
  const [maker, friend, other] = people();
  const [channel, elsewhere] = [await fresh(), await fresh()];
  const moderators = await groupId(realm, "role:moderators");
  const mayDelete = (...users: TestUser[]) => ({ can_delete_any_message_group: { new: only(...users) } });
  expect(await change(maker, channel, mayDelete(friend))).toMatchObject({ msg: "Insufficient permission" });
  const members = await groupId(realm, "role:members");
  const setTo = (group: number) => ({ can_set_delete_message_policy_group: { new: group } });
  await withRealm(
    setTo(members),
    async () => void success(await change(maker, channel, mayDelete(other))),
    setTo(moderators),
  );
  const remove = (user: TestUser, message_id: number) => user.call(deleteMessage, { message_id });
  const refused = { msg: "You don't have permission to delete this message" };
  const act = async () => {
    const mine = await sendToChannel(friend, channel);
    expect(await remove(friend, mine)).toMatchObject(refused);
    expect(await remove(maker, mine)).toMatchObject(refused);
    success(await remove(other, mine));
    expect(await remove(other, await sendToChannel(friend, elsewhere))).toMatchObject(refused);
    success(await change(realm.admin, channel, { can_delete_own_message_group: { new: only(friend) } }));
    success(await remove(friend, await sendToChannel(friend, channel)));
    expect(await remove(friend, await sendToChannel(maker, channel))).toMatchObject(refused);
    // The organization's time limit holds for one's own messages only.
    const old = await sendToChannel(friend, channel);
    await sql`update messages set date_sent = now() - interval '1 hour' where id = ${old}`.execute(realm.ctx.db);
    expect(await remove(friend, old)).toMatchObject({ msg: "The time limit for deleting this message has passed" });
    success(await remove(other, old));
  };
  await withRealm({ can_delete_own_message_group: { new: nobody } }, act, {
    can_delete_own_message_group: { new: everyone },
  });
});

test("a channel is created with all settings, once, and nobody is notified", async () => {
  const [maker, friend] = people();
  const guest = await realm.user("guest", { role: 600 });
  const queue = await friend.register(["stream", "subscription", "message"]);
  const params: ArgumentsOf<typeof createChannel> = {
    name: `made ${++count}`,
    description: "*made*",
    subscribers: [friend.id],
    topics_policy: "disable_empty_topic",
    can_create_topic_group: only(maker),
    can_resolve_topics_group: everyone,
  };
  const { id } = success(await maker.call(createChannel, params));
  expect(await shown(maker, { id })).toMatchObject({
    name: params.name,
    creator_id: maker.id,
    description: "*made*",
    topics_policy: "disable_empty_topic",
    subscriber_count: 1,
    can_create_topic_group: only(maker),
    can_resolve_topics_group: everyone,
    can_delete_any_message_group: nobody,
  });
  const [heard = []] = await eventsUntilNow(realm, [queue]);
  expect(heard.map((event) => event.type)).toEqual(["stream", "subscription"]);
  const taken = { name: params.name.toUpperCase(), subscribers: [] };
  expect(await friend.call(createChannel, taken)).toEqual({
    result: "error",
    msg: `Channel '${taken.name}' already exists`,
    code: "CHANNEL_ALREADY_EXISTS",
    channel_name: taken.name,
  });
  const empty = success(await maker.call(createChannel, { name: `empty ${count}`, subscribers: [] }));
  expect(success(await maker.call(getSubscribers, { stream_id: empty.id })).subscribers).toEqual([]);
  expect(await guest.call(createChannel, { name: "x", subscribers: [] })).toMatchObject({
    msg: "Not allowed for guest users",
  });
});

test("subscribers are counted, and events carry the number on, whoever joins, leaves or is deactivated", async () => {
  const [maker, friend, other] = people();
  const leaver = await realm.user("leaver");
  const parts = ["stream", "subscription", "realm_user"];
  const watch = (user: TestUser, archived_channels: boolean) =>
    user.register(undefined, parts, { client_capabilities: { ...capabilities, archived_channels } });
  const channel = await channelOf([maker, leaver], `counted ${++count}`);
  const early = await Promise.all([maker, friend, other].flatMap((user) => [watch(user, false), watch(user, true)]));

  const named = { subscriptions: [{ name: channel.name }] };
  success(await friend.call(subscribe, named));
  success(await maker.call(subscribe, { ...named, principals: [other.id] }));
  success(await other.call(unsubscribe, { subscriptions: [channel.name] }));
  success(await realm.admin.call(deactivateUser, { user_id: leaver.id }));
  expect((await shown(maker, channel)).subscriber_count).toBe(2);
  success(await realm.admin.call(reactivateUser, { user_id: leaver.id }));
  success(await change(maker, channel, { is_private: true, history_public_to_subscribers: true }));
  success(await change(maker, channel, { is_private: false }));
  success(await change(maker, channel, { is_archived: true }));
  success(await change(maker, channel, { is_archived: false }));
  success(await maker.call(unsubscribe, { subscriptions: [channel.name] }));
  expect((await shown(maker, channel)).subscriber_count).toBe(2);

  const late = await Promise.all([maker, friend, other].flatMap((user) => [watch(user, false), watch(user, true)]));
  const heard = await eventsUntilNow(realm, [...early, ...late]);
  const [followed, registered] = [early, late].map((queues, part) =>
    queues.map((queue, index) => {
      const events = heard[part * early.length + index] ?? [];
      const archived_channels = index % 2 === 1;
      const state = events.reduce(
        (before, event) => applyEvent(before, event as Event, { archived_channels }), // events of a queue, but for the id
        { ...queue.state, user_id: queue.user.id },
      );
      const counts = (...lists: ({ stream_id: number; subscriber_count: number }[] | undefined)[]) =>
        new Map(
          lists.flatMap((list = []) => list.map(({ stream_id, subscriber_count }) => [stream_id, subscriber_count])),
        );
      return [counts(state.subscriptions, state.unsubscribed, state.never_subscribed), counts(state.streams)];
    }),
  );
  expect(followed).toEqual(registered);
});

test("who is told of a deactivated account's subscriptions, and that it comes before the account's own event", async () => {
  const [maker, friend] = people();
  const leaver = await realm.user("quitter");
  const [open, closed] = [
    await channelOf([maker, leaver], `open ${++count}`),
    await channelOf([maker, leaver], `closed ${count}`, { isPrivate: true }),
  ];
  const queues = await Promise.all([maker, friend].map((user) => user.register(["subscription", "realm_user"])));
  success(await realm.admin.call(deactivateUser, { user_id: leaver.id }));
  const gone = (channel: TestChannel) => ({
    type: "subscription",
    op: "peer_remove",
    stream_ids: [channel.id],
    user_ids: [leaver.id],
  });
  const closing = { type: "realm_user", op: "update", person: { user_id: leaver.id, is_active: false } };
  expect(await eventsUntilNow(realm, queues)).toEqual([
    [gone(open), gone(closed), closing],
    [gone(open), closing],
  ]);
});

test("people are told of new subscriptions only if that is wanted, and changes of a channel only where they are announced", async () => {
  const [maker, friend, other] = people();
  const channel = await channelOf([maker], `quiet ${++count}`);
  const add = (user: TestUser, more: object) =>
    maker.call(subscribe, { subscriptions: [{ name: channel.name }], principals: [user.id], ...more });
  expect(success(await add(friend, { send_new_subscription_messages: false }))).not.toHaveProperty(
    "new_subscription_messages_sent",
  );
  expect(success(await add(other, {}))).toMatchObject({ new_subscription_messages_sent: true });
  const { rows } = await sql<{ people: { user_id: number }[] }>`
    select people from subscription_notices where realm_id = ${realm.id} and people::text like ${`%${friend.id}%`}`.execute(
    realm.ctx.db,
  );
  expect(rows).toEqual([]);

  const notices = async () =>
    (await sql`select from messages where conversation_id = ${channel.id}`.execute(realm.ctx.db)).rows.length;
  const act = async () => {
    success(await change(maker, channel, { description: "one" }));
    expect(await notices()).toBe(0);
  };
  await withRealm({ send_channel_events_messages: false }, act, { send_channel_events_messages: true });
  success(await change(maker, channel, { description: "two" }));
  expect(await notices()).toBe(1);
});

test("an organization that the previous release creates has the new groups when its transaction ends", async () => {
  const { db } = realm.ctx;
  const name = `t${randomBytes(6).toString("hex")}`;
  await transaction(db, "create an organization without the new columns", async (tx) => {
    const { rows } = await sql<{ id: number }>`
      insert into realms select copy.* from realms r cross join lateral jsonb_populate_record(null::realms, to_jsonb(r) ||
        jsonb_build_object('id', nextval(pg_get_serial_sequence('realms', 'id')), 'string_id', ${name}::text, 'host',
          ${name}::text, 'can_set_delete_message_policy_group_id', null, 'can_set_topics_policy_group_id', null)) copy
      where r.id = ${realm.id} returning id`.execute(tx);
    await sql`
      insert into user_groups (realm_id, name, is_system, max_rank, can_add_members_group_id, can_join_group_id,
        can_leave_group_id, can_manage_group_id, can_mention_group_id, can_remove_members_group_id)
      select ${rows[0]?.id ?? 0}, g.name, true, g.max_rank, g.id, g.id, g.id, g.id, g.id, g.id
      from user_groups g where g.realm_id = ${realm.id} and g.is_system`.execute(tx);
  });
  const { rows } = await sql<{ delete_policy: string; topics_policy: string }>`
    select d.name as delete_policy, t.name as topics_policy from realms r
      join user_groups d on d.id = r.can_set_delete_message_policy_group_id and d.realm_id = r.id
      join user_groups t on t.id = r.can_set_topics_policy_group_id and t.realm_id = r.id
    where r.string_id = ${name}`.execute(db);
  expect(rows).toEqual([{ delete_policy: "role:moderators", topics_policy: "role:members" }]);
});
