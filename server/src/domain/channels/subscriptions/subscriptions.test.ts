import { applyEvent } from "@skein/api/apply-event.ts";
import { getChannels } from "@skein/api/channels.ts";
import type { Event } from "@skein/api/events.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { getSubscriptions, subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { eventsUntilNow, type SentEvent } from "../../../../test/events-until.ts";
import { startNode } from "../../../../test/nodes.ts";
import { groupId, only } from "../../../../test/groups.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";

type MessageEvent = Extract<Event, { type: "message" }>;
type Params = Partial<ArgumentsOf<typeof subscribe>>;

const tryToJoin = (user: TestUser, names: string | string[], params: Params = {}) =>
  user.call(subscribe, { subscriptions: [names].flat().map((name) => ({ name })), ...params });
const join = async (user: TestUser, names: string | string[], params: Params = {}) =>
  success(await tryToJoin(user, names, params));
const leave = (user: TestUser, name: string, principals?: number[]) =>
  user.call(unsubscribe, { subscriptions: [name], ...(principals ? { principals } : {}) });
const subscribersOf = async (user: TestUser, name: string) =>
  success(await user.call(getSubscriptions, { include_subscribers: true })).subscriptions.find(
    (own) => own.name === name,
  )?.subscribers;

/** Short names of events: `stream/create`. */
const kinds = (events: SentEvent[] = []) =>
  events.map((event) => `${event.type}/${"op" in event ? String(event.op) : ""}`);

// spec 4.3: subscriptions, name, subscribed, already_subscribed
test("subscribing to a new name creates a channel, and the same name in any case and spacing joins it", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];

  const made = await join(hamlet, "Elsinore");
  const joined = await join(ophelia, ["  elsinore ", "ELSINORE"]);
  const again = await join(ophelia, "elsinore");

  expect(made).toEqual({
    result: "success",
    msg: "",
    subscribed: { [hamlet.id]: ["Elsinore"] },
    already_subscribed: {},
    new_subscription_messages_sent: true,
  });
  expect(joined).toMatchObject({ subscribed: { [ophelia.id]: ["Elsinore"] }, already_subscribed: {} });
  expect(again).toMatchObject({ subscribed: {}, already_subscribed: { [ophelia.id]: ["Elsinore"] } });
  expect(await subscribersOf(hamlet, "Elsinore")).toEqual([hamlet.id, ophelia.id]);
});

// spec 3.3: subscribing to a non-existent channel name creates it
test("of eight concurrent creations of a channel one creates it and all are subscribed", async () => {
  const realm = await newRealm();
  const people = await Promise.all(Array.from({ length: 8 }, (_, i) => realm.user(`person ${i}`)));

  await Promise.all(people.map((user, i) => join(user, i % 2 === 0 ? ["agora", "forum"] : ["FORUM", "Agora"])));

  const { streams } = success(await realm.admin.call(getChannels, { include_all: true }));
  expect(streams.map((stream) => stream.name.toLowerCase()).toSorted()).toEqual(["agora", "forum"]);
  const all = people.map((user) => user.id).toSorted((a, b) => a - b);
  for (const { name } of streams) expect(await subscribersOf(people[0] ?? realm.admin, name)).toEqual(all);
});

// spec 4.3: principals, subscribed, already_subscribed
test("others are subscribed by id or by e-mail address", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, laertes] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("laertes"),
  ];

  const byId = await join(hamlet, "court", { principals: [ophelia.id, hamlet.id] });
  const byAddress = await join(hamlet, "court", { principals: [laertes.email.toUpperCase(), ophelia.email] });

  expect(byId.subscribed).toEqual({ [hamlet.id]: ["court"], [ophelia.id]: ["court"] });
  expect(byAddress).toMatchObject({
    subscribed: { [laertes.id]: ["court"] },
    already_subscribed: { [ophelia.id]: ["court"] },
  });
});

// spec 4.3: principals, name, error BAD_REQUEST, error "No such user", error "User is deactivated"
// spec 7: BAD_REQUEST
test("one invalid name or user fails the whole request", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  const [hamlet, ghost] = [await realm.user("hamlet"), await realm.user("ghost")];
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", ghost.id).execute();
  const queue = await hamlet.register(["stream", "subscription"]);

  const refusals = [
    await tryToJoin(hamlet, ["fine", ""]),
    await tryToJoin(hamlet, ["fine", "   "]),
    await tryToJoin(hamlet, ["fine", "x".repeat(61)]),
    await tryToJoin(hamlet, ["fine", "nul\u0000"]),
    await tryToJoin(hamlet, "fine", { principals: [hamlet.id, 999_999_999] }),
    await tryToJoin(hamlet, "fine", { principals: [hamlet.id, ghost.id] }),
    await tryToJoin(hamlet, "fine", { principals: [ghost.email] }),
    await tryToJoin(hamlet, "fine", { principals: [other.admin.id] }),
    await tryToJoin(hamlet, "fine", { can_send_message_group: 999_999_999 }),
  ];

  expect(refusals.map((response) => response.msg)).toEqual([
    "Channel name can't be empty.",
    "Channel name can't be empty.",
    "Channel name too long (limit: 60 characters).",
    "Invalid character in channel name, at position 4.",
    "No such user",
    "User is deactivated",
    "User is deactivated",
    "No such user",
    "Invalid user group",
  ]);
  expect(refusals.every((response) => response.result === "error" && response.code === "BAD_REQUEST")).toBe(true);
  expect(await eventsUntilNow(realm, [queue])).toEqual([[]]);
  expect(success(await realm.admin.call(getChannels, { include_all: true })).streams).toHaveLength(1);
});

// spec 4.3: authorization_errors_fatal, unauthorized, invite_only, can_subscribe_group, can_add_subscribers_group, error BAD_REQUEST
test("users listed in its permissions may join a private channel, administrators may not by role alone", async () => {
  const realm = await newRealm();
  const [hamlet, joiner, adder] = [await realm.user("hamlet"), await realm.user("joiner"), await realm.user("adder")];
  const [stranger, friend] = [await realm.user("stranger"), await realm.user("friend")];
  await join(hamlet, "closet", {
    invite_only: true,
    can_subscribe_group: only(joiner),
    can_add_subscribers_group: only(adder),
  });

  expect(await tryToJoin(stranger, "closet")).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Unable to access channel (closet).",
  });
  expect(await tryToJoin(realm.admin, "closet")).toMatchObject({ result: "error" });
  const lenient = await join(stranger, ["closet", "open"], { authorization_errors_fatal: false });
  expect(lenient).toMatchObject({ unauthorized: ["closet"], subscribed: { [stranger.id]: ["open"] } });
  expect(await join(joiner, "closet")).toMatchObject({ subscribed: { [joiner.id]: ["closet"] } });
  expect(await join(adder, "closet", { principals: [friend.id] })).toMatchObject({
    subscribed: { [friend.id]: ["closet"] },
  });
  expect(await subscribersOf(hamlet, "closet")).toEqual([hamlet.id, joiner.id, friend.id]);
});

// spec 4.3: principals, can_administer_channel_group
test("adding others to a public channel takes the organization's permission or the channel's", async () => {
  const realm = await newRealm();
  const [hamlet, manager] = [await realm.user("hamlet"), await realm.user("manager")];
  await join(manager, "court");
  const nobody = await groupId(realm, "role:nobody");
  await realm.ctx.db
    .updateTable("realms")
    .set({ can_add_subscribers_group_id: nobody })
    .where("id", "=", realm.id)
    .execute();

  expect(await tryToJoin(hamlet, "court", { principals: [realm.admin.id] })).toMatchObject({
    msg: "Insufficient permission",
  });
  expect(await join(hamlet, "court")).toMatchObject({ subscribed: { [hamlet.id]: ["court"] } });
  expect(await join(manager, "court", { principals: [realm.admin.id] })).toHaveProperty(["subscribed", realm.admin.id]);
});

// spec 2.2: can_subscribe_group
test("guests cannot subscribe anyone, not even themselves, but can be subscribed and can leave", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  await join(realm.admin, "court");

  expect(await tryToJoin(guest, "court")).toMatchObject({ msg: "Not allowed for guest users" });
  expect(await tryToJoin(guest, "a new one")).toMatchObject({ msg: "Not allowed for guest users" });
  expect(await join(realm.admin, "court", { principals: [guest.id] })).toMatchObject({
    subscribed: { [guest.id]: ["court"] },
  });
  expect(await leave(guest, "court", [realm.admin.id])).toMatchObject({ msg: "Insufficient permission" });
  expect(await leave(guest, "court")).toMatchObject({ removed: ["court"], not_removed: [] });
  expect(await leave(guest, "court")).toMatchObject({ msg: "Channel(s) (court) do not exist" });
});

// spec 4.3: is_default_stream, invite_only, is_web_public, message_retention_days
test("creating a channel takes the permissions for its kind", async () => {
  const realm = await newRealm();
  const [hamlet, administrator] = [await realm.user("hamlet"), await realm.user("administrator", { role: 200 })];
  const messages = async (...responses: ReturnType<typeof tryToJoin>[]) =>
    (await Promise.all(responses)).map(({ msg }) => msg);

  expect(
    await messages(
      tryToJoin(hamlet, "n1", { is_default_stream: true }),
      tryToJoin(administrator, "n2", { is_default_stream: true, invite_only: true }),
      tryToJoin(hamlet, "n3", { is_web_public: true }),
      tryToJoin(administrator, "n4", { message_retention_days: 30 }),
      tryToJoin(realm.admin, "n5", { message_retention_days: 0 }),
    ),
  ).toEqual([
    "Insufficient permission",
    "A default channel cannot be private.",
    "Web-public channels are not enabled.",
    "Must be an organization owner",
    "Bad value for 'message_retention_days': 0",
  ]);
  const nobody = await groupId(realm, "role:nobody");
  const closed = { can_create_public_channel_group_id: nobody, can_create_private_channel_group_id: nobody };
  await realm.ctx.db.updateTable("realms").set(closed).where("id", "=", realm.id).execute();
  expect(await messages(tryToJoin(hamlet, "n6"), tryToJoin(hamlet, "n7", { invite_only: true }))).toEqual([
    "Insufficient permission",
    "Insufficient permission",
  ]);
  expect(success(await realm.admin.call(getChannels, { include_all: true })).streams).toEqual([]);
});

// spec 4.3: message_retention_days
// spec 2.2: message_retention_days
test("retention is a number of days, unlimited, or the organization's default", async () => {
  const realm = await newRealm();
  for (const [name, message_retention_days] of [
    ["a", 30],
    ["b", "unlimited"],
    ["c", "realm_default"],
  ] as const)
    await join(realm.admin, name, { message_retention_days });

  const { streams } = success(await realm.admin.call(getChannels, {}));

  expect(streams.map((stream) => stream.message_retention_days)).toEqual([30, -1, null]);
});

// spec 4.3: can_subscribe_group, can_send_message_group
// spec 2.3: direct_members, direct_subgroups
test("a permission is a group or a list, and disallowed values are refused", async () => {
  const realm = await newRealm();
  const [hamlet, ghost] = [await realm.user("hamlet"), await realm.user("ghost")];
  const [internet, everyone, members, nobody] = await Promise.all(
    ["role:internet", "role:everyone", "role:members", "role:nobody"].map((name) => groupId(realm, name)),
  );
  if (!internet || !everyone || !members || !nobody) throw new Error("an organization has its system groups");
  const set = (name: string, can_subscribe_group: NonNullable<Params["can_subscribe_group"]>) =>
    tryToJoin(hamlet, name, { can_subscribe_group });
  const subgroups = (...direct_subgroups: number[]) => ({ direct_members: [], direct_subgroups });
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", ghost.id).execute();

  await set("list", { direct_members: [realm.admin.id, hamlet.id, hamlet.id], direct_subgroups: [members] });
  await set("one group", subgroups(members));
  await set("nothing", subgroups());
  const refused = await Promise.all([
    set("no", internet),
    set("no", everyone),
    set("no", subgroups(internet, members)),
    set("no", subgroups(members, 999_999_999)),
    set("no", only(ghost)),
    set("no", 999_999_999),
  ]);

  const { streams } = success(await hamlet.call(getChannels, {}));
  expect(streams.map((stream) => stream.can_subscribe_group)).toEqual([
    { direct_members: [realm.admin.id, hamlet.id], direct_subgroups: [members] },
    members,
    nobody,
  ]);
  expect(refused.map(({ msg }) => msg)).toEqual([
    "'can_subscribe_group' setting cannot be set to 'role:internet' group.",
    "'can_subscribe_group' setting cannot be set to 'role:everyone' group.",
    "'can_subscribe_group' setting cannot be set to 'role:internet' group.",
    "Invalid user group ID: 999999999",
    `Invalid user ID: ${ghost.id}`,
    "Invalid user group",
  ]);
});

// spec 2.2: can_remove_subscribers_group, can_administer_channel_group
// spec 4.3: can_remove_subscribers_group; 2.2: permissions
test("administrators, the channel's managers and holders of its permission unsubscribe others; anyone unsubscribes their own bots", async () => {
  const realm = await newRealm();
  const [hamlet, manager, remover] = [
    await realm.user("hamlet"),
    await realm.user("manager"),
    await realm.user("remover"),
  ];
  const bot = await realm.user("bot");
  await realm.ctx.db
    .updateTable("users")
    .set({ is_bot: true, bot_type: 1, bot_owner_id: hamlet.id })
    .where("id", "=", bot.id)
    .execute();
  const everybody = [hamlet, manager, remover, bot].map((user) => user.id);
  await join(manager, "court", { principals: everybody, can_remove_subscribers_group: only(remover) });

  expect(await leave(hamlet, "court", [manager.id])).toMatchObject({ msg: "Insufficient permission" });
  expect(await leave(hamlet, "court", [bot.id])).toMatchObject({ removed: ["court"], not_removed: [] });
  expect(await leave(hamlet, "court", [bot.id])).toMatchObject({ removed: [], not_removed: ["court"] });
  expect(await leave(remover, "court", [hamlet.id])).toMatchObject({ removed: ["court"] });
  expect(await leave(manager, "court", [remover.id])).toMatchObject({ removed: ["court"] });
  expect(await leave(realm.admin, "court", [manager.id])).toMatchObject({ removed: ["court"] });
  expect(await leave(realm.admin, "nowhere")).toMatchObject({ msg: "Channel(s) (nowhere) do not exist" });
});

// spec 6: subscription, stream
test("who receives events about a public channel and its subscribers", async () => {
  const realm = await newRealm();
  const [hamlet, member] = [await realm.user("hamlet"), await realm.user("member")];
  const [guest, outsider] = [await realm.user("guest", { role: 600 }), await realm.user("outsider", { role: 600 })];
  const people = [hamlet, member, guest, outsider];
  const queues = await Promise.all(people.map((user) => user.register(["stream", "subscription"])));

  await join(hamlet, "court");
  await join(hamlet, "court", { principals: [guest.id] });
  await join(hamlet, "court", { principals: [member.id] });
  success(await leave(member, "court"));
  success(await leave(guest, "court"));

  const received = await eventsUntilNow(realm, queues);
  expect(received.map(kinds)).toEqual([
    [
      "stream/create",
      "subscription/add",
      "subscription/peer_add",
      "subscription/peer_add",
      "subscription/peer_remove",
      "subscription/peer_remove",
    ],
    [
      "stream/create",
      "subscription/peer_add",
      "subscription/peer_add",
      "subscription/add",
      "subscription/remove",
      "subscription/peer_remove",
    ],
    [
      "stream/create",
      "subscription/add",
      "subscription/peer_add",
      "subscription/peer_remove",
      "subscription/remove",
      "stream/delete",
    ],
    [],
  ]);
});

// spec 6: subscription, stream
test("who receives events about a private channel and its subscribers", async () => {
  const realm = await newRealm();
  const names = ["hamlet", "friend", "stranger", "manager", "moderator", "guest"];
  const people = await Promise.all(
    names.map((name) => realm.user(name, { role: name === "guest" ? 600 : name === "moderator" ? 300 : 400 })),
  );
  const [hamlet, friend, , manager, , guest] = people;
  if (!hamlet || !friend || !manager || !guest) throw new Error("six people were made");
  const queues = await Promise.all([...people, realm.admin].map((user) => user.register(["stream", "subscription"])));

  await join(hamlet, "closet", {
    invite_only: true,
    can_administer_channel_group: only(hamlet, manager, guest),
    can_add_subscribers_group: await groupId(realm, "role:moderators"),
  });
  await join(hamlet, "closet", { principals: [friend.id] });
  success(await leave(friend, "closet"));

  const received = await eventsUntilNow(realm, queues);
  const asOnlooker = ["stream/create", "subscription/peer_add", "subscription/peer_add", "subscription/peer_remove"];
  expect(Object.fromEntries(received.map((events, i) => [names[i] ?? "administrator", kinds(events)]))).toEqual({
    hamlet: ["stream/create", "subscription/add", "subscription/peer_add", "subscription/peer_remove"],
    friend: ["stream/create", "subscription/add", "subscription/remove", "stream/delete"],
    stranger: [],
    manager: asOnlooker,
    moderator: asOnlooker,
    guest: [],
    administrator: asOnlooker,
  });
});

// spec 6: subscription, subscriptions, subscribers, desktop_notifications, push_notifications, is_muted
test("a subscriber's own event has the format the queue requested", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await join(realm.admin, "court");
  const plain = await hamlet.register(["subscription"], [], { client_capabilities: noCapabilities });
  const full = await hamlet.register(["subscription"], [], { include_subscribers: true });

  await join(hamlet, "court");

  const [asPlain, asFull] = [await plain.nextOf("subscription"), await full.nextOf("subscription")];
  expect(asPlain).toMatchObject({
    op: "add",
    subscriptions: [{ name: "court", push_notifications: false, wildcard_mentions_notify: true }],
  });
  expect(asPlain).not.toHaveProperty(["subscriptions", 0, "subscribers"]);
  expect(asFull).toMatchObject({
    op: "add",
    subscriptions: [
      {
        subscribers: [realm.admin.id, hamlet.id],
        push_notifications: null,
        is_muted: false,
        in_home_view: true,
        color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      },
    ],
  });
});

const noCapabilities = {
  notification_settings_null: false,
  bulk_message_deletion: false,
  user_avatar_url_field_optional: false,
  stream_typing_notifications: false,
  user_settings_object: false,
  linkifier_url_template: false,
  user_list_incomplete: false,
  include_deactivated_groups: false,
  archived_channels: false,
  empty_topic_name: false,
};

// spec 4.3: is_default_stream
// spec 2.2: is_default
test("new users are subscribed to the default channels, which everyone can see", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["stream", "default_streams"]);
  await join(realm.admin, ["hall", "yard"], { is_default_stream: true });

  const created = await realm.admin.request("POST", "/users", {
    email: `new@${realm.host}`,
    password: "a long enough password",
    full_name: "New One",
  });

  const { streams } = success(await realm.admin.call(getChannels, { include_default: true }));
  const ids = streams.filter((stream) => stream.is_default).map((stream) => stream.stream_id);
  expect(ids).toHaveLength(2);
  expect(await queue.nextOf("default_streams")).toEqual({ type: "default_streams", default_streams: ids });
  expect(await subscribersOf(realm.admin, "hall")).toEqual([realm.admin.id, created["user_id"]]);
});

const parts = ["stream", "default_streams", "subscription", "realm_user"];

test("initial state plus events equals the state of a fresh registration", async () => {
  const realm = await newRealm();
  const roles = [400, 600, 200, 400] as const;
  const people = await Promise.all(roles.map((role, i) => realm.user(`person ${i}`, { role })));
  const [hamlet, guest, administrator, manager] = people;
  if (!hamlet || !guest || !administrator || !manager) throw new Error("four people were made");
  const options = { include_subscribers: true };
  await join(hamlet, "before", { principals: [hamlet.id, guest.id] });
  await join(hamlet, "closed before", { invite_only: true, principals: [hamlet.id, guest.id] });
  const watch = () => Promise.all(people.map((user) => user.register(undefined, parts, options)));
  const early = await watch();

  await join(hamlet, "public", { principals: [hamlet.id, manager.id] });
  await join(hamlet, "closet", { invite_only: true, can_administer_channel_group: only(hamlet, manager) });
  await join(hamlet, ["closet", "public"], { principals: [guest.id, administrator.id] });
  success(await leave(hamlet, "closed before"));
  success(await leave(guest, "before"));
  success(await leave(administrator, "closet", [guest.id, hamlet.id]));
  await join(realm.admin, "default", { is_default_stream: true });
  await join(hamlet, "before", { principals: [guest.id] });
  success(await leave(hamlet, "before"));

  const late = await watch();
  const received = await eventsUntilNow(realm, [...early, ...late]);
  const states = [...early, ...late].map((queue, i) => {
    const { subscriptions, unsubscribed, never_subscribed, streams, realm_default_streams } = (
      received[i] ?? []
    ).reduce((state, event) => applyEvent(state, event as Event, options), { ...queue.state, user_id: queue.user.id });
    return { subscriptions, unsubscribed, never_subscribed, streams, realm_default_streams };
  });
  expect(states.slice(0, people.length)).toEqual(states.slice(people.length));
});

test("a crowd too large for one event is split into several, and nobody is missed", async () => {
  const realm = await newRealm();
  const [hamlet, last] = [await realm.user("hamlet"), await realm.user("last")];
  const { rows } = await sql<{ id: number }>`
    insert into users (realm_id, delivery_email, full_name)
    select ${realm.id}, 'extra' || i || '@' || ${realm.host}::text, 'Extra ' || i from generate_series(1, 20500) i
    returning id`.execute(realm.ctx.db);
  await join(hamlet, "stage", { invite_only: true });
  const options = { include_subscribers: true };
  const people = [hamlet, last, realm.admin];
  const queues = await Promise.all(people.map((user) => user.register(["stream", "subscription"], parts, options)));

  const crowd = [...rows.map((row) => row.id), last.id];
  expect(Object.keys((await join(hamlet, "stage", { principals: crowd })).subscribed)).toHaveLength(crowd.length);

  const all = [hamlet.id, ...crowd].toSorted((a, b) => a - b);
  const received = await eventsUntilNow(realm, queues);
  for (const [i, queue] of queues.entries()) {
    const start = { ...queue.state, user_id: queue.user.id };
    const state = (received[i] ?? []).reduce((before, event) => applyEvent(before, event as Event, options), start);
    const known = [...(state.subscriptions ?? []), ...(state.never_subscribed ?? [])];
    expect(known.map((channel) => channel.subscribers)).toEqual([all]);
  }
});

test("while users join, leave and send, everyone gets events for exactly the messages they received", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  await join(realm.admin, "court");
  const queues = await Promise.all(
    [hamlet, ophelia].map((user) => user.register(["stream", "subscription", "message"])),
  );
  const comeAndGo = async (user: TestUser) => {
    for (let i = 0; i < 12; i++) {
      await join(user, "court");
      success(await leave(realm.admin, "court", [user.id]));
    }
  };
  const write = async () => {
    for (let i = 0; i < 40; i++)
      success(
        await realm.admin.call(sendMessage, { type: "stream", to: "court", topic: "noise", content: `word ${i}` }),
      );
  };

  await Promise.all([comeAndGo(hamlet), comeAndGo(hamlet), comeAndGo(ophelia), write(), write()]);

  const received = await eventsUntilNow(realm, queues);
  for (const [i, user] of [hamlet, ophelia].entries()) {
    const events = received[i] ?? [];
    const messages = events.flatMap((event) => (event.type === "message" ? [(event as MessageEvent).message.id] : []));
    const changes = kinds(events).filter((kind) => kind === "subscription/add" || kind === "subscription/remove");
    const { rows } = await sql<{ ids: number[]; read: boolean }>`
      select array(select m.id from messages m where m.conversation_id = c.id and m.id <@ s.received order by m.id) as ids,
        s.received <@ s.read as read
      from channels c join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
      where c.realm_id = ${realm.id} and c.name = 'court'`.execute(realm.ctx.db);
    expect(messages.toSorted((a, b) => a - b)).toEqual(rows[0]?.ids);
    expect(rows[0]?.read).toBe(true);
    expect(changes).toEqual(changes.map((_, n) => (n % 2 === 0 ? "subscription/add" : "subscription/remove")));
  }
});

// spec 4.3: invite_only, history_public_to_subscribers, can_send_message_group, description, message_retention_days
test("parameters for a new channel do not change an existing one", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await join(hamlet, "court");
  const channel = async () => success(await hamlet.call(getChannels, { include_default: true })).streams;
  const before = await channel();

  success(
    await realm.admin.call(subscribe, {
      subscriptions: [{ name: "court", description: "changed" }],
      principals: [hamlet.id],
      invite_only: true,
      is_default_stream: true,
      history_public_to_subscribers: false,
      message_retention_days: 3,
      can_send_message_group: await groupId(realm, "role:nobody"),
      announce: true,
    }),
  );

  expect(await channel()).toEqual(before);
});

// spec 4.3: invite_only, history_public_to_subscribers
// spec 2.2: invite_only, history_public_to_subscribers
test.for([
  { params: {}, made: [false, true] },
  { params: { history_public_to_subscribers: false }, made: [false, true] },
  { params: { invite_only: true }, made: [true, false] },
  { params: { invite_only: true, history_public_to_subscribers: false }, made: [true, false] },
  { params: { invite_only: true, history_public_to_subscribers: true }, made: [true, true] },
])("creating a channel with $params gives $made", async ({ params, made }) => {
  const realm = await newRealm();
  await join(realm.admin, "court", params);

  const [channel] = success(await realm.admin.call(getChannels, {})).streams;
  expect([channel?.invite_only, channel?.history_public_to_subscribers]).toEqual(made);
});

// spec 4.3: is_web_public
test("a web-public channel must be enabled by the server and the organization, and takes a permission", async () => {
  const plain = await startNode({ environment: { SKEIN_WEB_PUBLIC_CHANNELS: "false", SKEIN_ROLES: "api" } });
  const closed = await newRealm([plain]);
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const allow = (id: number) =>
    realm.ctx.db.updateTable("realms").set({ enable_spectator_access: true }).where("id", "=", id).execute();
  const make = async (user: TestUser, more: Params = {}) =>
    (await tryToJoin(user, "square", { is_web_public: true, ...more })).msg;

  await allow(closed.id);
  expect(await make(closed.admin)).toBe("Web-public channels are not enabled.");
  expect(await make(realm.admin)).toBe("Web-public channels are not enabled.");
  await allow(realm.id);
  expect(await make(administrator)).toBe("Insufficient permission");
  expect(await make(realm.admin, { invite_only: true })).toBe("Invalid parameters");
  expect(await make(realm.admin)).toBe("");
  const { streams } = success(await realm.admin.call(getChannels, {}));
  expect(streams).toMatchObject([{ name: "square", is_web_public: true, invite_only: false }]);
  const fetched = await realm.admin.register([], ["realm", "realm_user"]);
  expect(fetched.state).toMatchObject({
    server_web_public_streams_enabled: true,
    can_create_web_public_streams: true,
  });
});

// spec 8: channel name length, channel description length
test("names and descriptions have limits, counted in characters", async () => {
  const realm = await newRealm();
  const long = (length: number) => "\u{1F300}".repeat(length);
  const make = (name: string, description: string) =>
    realm.admin.request("POST", "/users/me/subscriptions", { subscriptions: JSON.stringify([{ name, description }]) });

  expect(await make(long(60), long(1024))).toMatchObject({ result: "success" });
  expect(await make("too much", long(1025))).toMatchObject({
    msg: 'subscriptions[0]["description"] is too long (limit: 1024 characters)',
  });
  expect(await make(long(61), "")).toMatchObject({ msg: "Channel name too long (limit: 60 characters)." });
  const many = JSON.stringify(Array.from({ length: 1001 }, (_, i) => ({ name: `channel ${i}` })));
  expect(await realm.admin.request("POST", "/users/me/subscriptions", { subscriptions: many })).toMatchObject({
    msg: "subscriptions is too long (limit: 1000 elements)",
  });
});

test("once the response arrives, a user removed from a private channel receives and reads nothing more of it on any node", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  await join(hamlet, "closet", { invite_only: true, history_public_to_subscribers: true });

  for (let i = 0; i < 4; i++) {
    await join(hamlet, "closet", { principals: [friend.id] });
    const queue = await friend.register(["message"]);
    success(await leave(realm.admin, "closet", [friend.id]));
    const secret = { type: "stream", to: "closet", topic: "t", content: `secret ${i}` } as const;
    const { id } = success(await hamlet.on(i).call(sendMessage, secret));
    const read = await Promise.all([0, 1].map((node) => friend.on(node).call(getMessage, { message_id: id })));
    expect(read.map(({ result }) => result)).toEqual(["error", "error"]);
    const mark = success(await hamlet.call(sendMessage, { type: "direct", to: [friend.id], content: "mark" })).id;
    const received: string[] = [];
    for (let last = 0; last !== mark;) {
      const { message } = await queue.nextOf("message");
      received.push(message.type);
      last = message.id;
    }
    expect(received).not.toContain("stream");
  }
});

test("users who leave a public channel together are notified of each other, but not of themselves", async () => {
  const realm = await newRealm();
  const people = await Promise.all(Array.from({ length: 5 }, (_, i) => realm.user(`person ${i}`)));
  const ids = people.map((user) => user.id);
  await join(realm.admin, "court", { principals: ids });
  const queues = await Promise.all(people.map((user) => user.register(["stream", "subscription"])));

  success(await leave(realm.admin, "court", ids));

  const received = await eventsUntilNow(realm, queues);
  for (const [i, events] of received.entries()) {
    const peers = events.flatMap((event) => ("user_ids" in event ? (event as { user_ids: number[] }).user_ids : []));
    expect(new Set(peers)).toEqual(new Set(ids.filter((id) => id !== ids[i])));
  }
});
