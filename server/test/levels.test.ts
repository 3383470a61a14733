/** What the protocol gained between the levels 372 and 421, apart from channels and topics. */
import { createHash } from "node:crypto";
import { updateChannel } from "@skein/api/channels.ts";
import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { createInvitationLink } from "@skein/api/invitations.ts";
import { getMessages, matchNarrow } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import {
  addNavigationView,
  editNavigationView,
  getNavigationViews,
  removeNavigationView,
} from "@skein/api/navigation-views.ts";
import { updatePresence } from "@skein/api/presence.ts";
import { testWelcomeMessage, updateRealm } from "@skein/api/realm-settings.ts";
import { createReminder, deleteReminder, getReminders } from "@skein/api/reminders.ts";
import { reportMessage } from "@skein/api/reports.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { getSubscriptions, unsubscribe } from "@skein/api/subscriptions.ts";
import { updateUserStatus } from "@skein/api/status.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { createUser, getUsers } from "@skein/api/users.ts";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { deliverReminder } from "../src/domain/messages/reminders/deliver.ts";
import { channelOf, flagsFor, messageFor, sendDirect, sendToChannel, type TestChannel } from "./actions.ts";
import { groupId } from "./groups.ts";
import { untilOnEveryNode } from "./presence.ts";
import { capabilities, newRealm, success, type TestRealm, type TestUser } from "./realm.ts";

let realm: TestRealm;
let admin: TestUser, hamlet: TestUser, ophelia: TestUser, guest: TestUser;
let castle: TestChannel;
beforeAll(async () => {
  realm = await newRealm();
  ({ admin } = realm);
  const people = [realm.user("hamlet"), realm.user("ophelia"), realm.user("guest", { role: 600 })];
  [hamlet, ophelia, guest] = (await Promise.all(people)) as [TestUser, TestUser, TestUser]; // three
  castle = await channelOf([hamlet, ophelia, guest, admin], "Castle");
});

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600;
const aTime = expect.any(Number) as number;

// Settings and constants

test("moderators, administrators and owners are moderators; others are not", async () => {
  const moderator = await realm.user("moderator", { role: 300 });
  const is = async (user: TestUser) => (await user.register([], ["realm_user"])).state.is_moderator;

  expect([await is(admin), await is(moderator), await is(hamlet), await is(guest)]).toEqual([true, true, false, false]);
});

test("the home view is told with the word it was set with", async () => {
  const home = async () => (await hamlet.register([], ["user_settings"])).state.user_settings?.web_home_view;
  const queue = await hamlet.register(["user_settings"]);

  for (const web_home_view of ["recent", "recent_topics"] as const) {
    success(await hamlet.call(updateSettings, { web_home_view }));
    expect(await home()).toBe(web_home_view);
    expect(await queue.next()).toMatchObject({ property: "web_home_view", value: web_home_view });
  }
});

test("whether notifications must be encrypted is a setting of the organization", async () => {
  const queue = await guest.register(["realm"], ["realm"]);

  success(await admin.call(updateRealm, { require_e2ee_push_notifications: true }));

  expect(queue.state).toMatchObject({ realm_require_e2ee_push_notifications: false, max_reminder_note_length: 1000 });
  expect(await queue.next()).toMatchObject({ property: "require_e2ee_push_notifications", value: true });
  success(await admin.call(updateRealm, { require_e2ee_push_notifications: false }));
});

// Registration

test("clients that show archived channels find them among all channels, and hear that one is back by an update", async () => {
  const shown = { client_capabilities: { ...capabilities, archived_channels: true } };
  const channel = await channelOf([hamlet, admin], "Ruin");
  await sendToChannel(admin, channel);
  const has = async (params: object) =>
    (await hamlet.register([], ["stream"], params)).state.streams?.find(({ stream_id }) => stream_id === channel.id);
  const [modern, old] = [await hamlet.register(["stream"], [], shown), await hamlet.register(["stream"])];

  success(await admin.call(updateChannel, { stream_id: channel.id, is_archived: true }));
  expect([await has(shown), await has({})]).toEqual([expect.objectContaining({ is_archived: true }), undefined]);
  success(await admin.call(updateChannel, { stream_id: channel.id, is_archived: false }));

  for (const value of [true, false]) expect(await modern.next()).toMatchObject({ op: "update", value });
  for (const op of ["delete", "create"]) expect(await old.next()).toMatchObject({ op });
  const mark = await channelOf([hamlet], "Mark");
  expect(await modern.next()).toMatchObject({ op: "create", streams: [{ stream_id: mark.id }] });
});

test("subscribers come complete, not at all, or for large channels in part", async () => {
  const ask = async (include_subscribers: boolean | "partial") =>
    (await hamlet.register([], ["subscription"], { include_subscribers })).state.subscriptions?.find(
      ({ stream_id }) => stream_id === castle.id,
    );
  const all = [hamlet, ophelia, guest, admin].map(({ id }) => id).toSorted((a, b) => a - b);

  expect((await ask("partial"))?.subscribers).toEqual(all);
  expect((await ask(true))?.subscribers).toEqual(all);
  expect(await ask(false)).not.toHaveProperty("subscribers");
  const own = success(await hamlet.call(getSubscriptions, { include_subscribers: "partial" })).subscriptions;
  expect(own.find(({ stream_id }) => stream_id === castle.id)?.subscribers).toEqual(all);
  const plain = await hamlet.request("POST", "/register", { event_types: "[]", include_subscribers: "partial" });
  expect(plain).toMatchObject({ result: "success" });
  const wrong = await hamlet.request("POST", "/register", { event_types: "[]", include_subscribers: "some" });
  expect(wrong).toMatchObject({ result: "error", msg: expect.stringContaining("include_subscribers") });
});

test("of a large channel, a client that asks for some subscribers gets bots and people who were active lately", async () => {
  const own = await newRealm();
  const large = await channelOf([own.admin], "Crowd");
  await sql`
    with made as (
      insert into users (realm_id, delivery_email, full_name, role, is_active, settings, email_address_visibility)
      select realm_id, 'crowd' || n || '@example.com', 'Crowd ' || n, 400, true, settings, email_address_visibility
      from users, generate_series(1, 260) n where id = ${own.admin.id} returning id, realm_id)
    insert into subscriptions (realm_id, channel_id, user_id, active, color)
    select realm_id, ${large.id}, id, true, '#76ce90' from made`.execute(own.ctx.db);
  await sql`
    insert into presences (user_id, realm_id, last_connected_at, update_id) values (${own.admin.id}, ${own.id}, now(), 1)
    on conflict (user_id) do update set last_connected_at = now()`.execute(own.ctx.db);
  const ask = async (include_subscribers: boolean | "partial") =>
    (await own.admin.register([], ["subscription"], { include_subscribers })).state.subscriptions?.[0];

  const some = await ask("partial");

  expect(some).not.toHaveProperty("subscribers");
  expect(some?.partial_subscribers).toEqual([own.admin.id]);
  expect((await ask(true))?.subscribers).toHaveLength(261);
});

test("presence comes in the newer form to clients that ask for it, and as before to others", async () => {
  const simple = { client_capabilities: { ...capabilities, simplified_presence_events: true } };
  const modern = await guest.register(["presence"], ["presence"], simple);
  const slim = await guest.register(["presence"], ["presence"], { slim_presence: true });
  const present = await realm.user("present");

  await untilOnEveryNode(present, () => present.call(updatePresence, { status: "active", ping_only: true }));

  const presence = { active_timestamp: aTime, idle_timestamp: aTime };
  expect(await modern.next()).toEqual({ type: "presence", presences: { [present.id]: presence } });
  expect(await slim.next()).toMatchObject({ type: "presence", user_id: present.id, server_timestamp: aTime });
  const state = (await guest.register([], ["presence"], simple)).state.presences;
  expect(state).toMatchObject({ [present.id]: presence });
});

test("a client chooses how long its queue lives, and is told", async () => {
  const lifetime = async (idle_queue_timeout?: string) =>
    (await hamlet.request("POST", "/register", {
      event_types: "[]",
      ...(idle_queue_timeout === undefined ? {} : { idle_queue_timeout }),
    })) as { idle_queue_timeout_secs?: number };

  expect((await lifetime('"mobile"')).idle_queue_timeout_secs).toBe(43_200);
  expect((await lifetime("mobile")).idle_queue_timeout_secs).toBe(43_200);
  expect((await lifetime("900")).idle_queue_timeout_secs).toBe(900);
  expect((await lifetime("9999999")).idle_queue_timeout_secs).toBe(604_800);
  expect(await lifetime("soon")).toMatchObject({ result: "error" });
});

// Messages

test("an edit is refused if the text is no longer the one that the client knows", async () => {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const content = "words – “quoted” ☃";
  const message_id = await sendToChannel(hamlet, castle, { content });
  const mismatch = { code: "EXPECTATION_MISMATCH", field_name: "prev_content_sha256" };

  success(await hamlet.call(updateMessage, { message_id, content: "second", prev_content_sha256: hash(content) }));
  expect(
    await hamlet.call(updateMessage, { message_id, content: "third", prev_content_sha256: hash(content) }),
  ).toMatchObject(mismatch);
  expect(
    await hamlet.call(updateMessage, { message_id, topic: "elsewhere", prev_content_sha256: hash("no") }),
  ).toMatchObject(mismatch);
  const old = await groupId(realm, "role:owners");
  const setting = { new: await groupId(realm, "role:everyone"), old };
  expect(await admin.call(updateChannel, { stream_id: castle.id, can_send_message_group: setting })).toMatchObject({
    code: "EXPECTATION_MISMATCH",
    field_name: "old",
  });

  expect((await messageFor(hamlet, message_id)).content).toBe("<p>second</p>");
});

test("a date as anchor is the first message at or after it, or else the newest", async () => {
  const channel = await channelOf([hamlet, ophelia], "Chronicle");
  const ids: number[] = [];
  for (const day of ["2020-01-01T10:00Z", "2020-01-02T10:00Z", "2020-01-03T10:00Z"]) {
    const id = await sendToChannel(hamlet, channel, { content: day });
    await sql`update messages set date_sent = ${day}::timestamptz where id = ${id}`.execute(realm.ctx.db);
    ids.push(id);
  }
  const [first, second, third] = ids;
  const narrow: Narrow = [{ operator: "channel", operand: channel.id }];
  const ask = (anchor_date: string | undefined, more: object = {}) =>
    ophelia.call(getMessages, { anchor: "date", anchor_date, num_before: 0, num_after: 0, narrow, ...more });
  const anchor = async (date: string) => success(await ask(date)).anchor;

  expect(success(await ask("2020-01-02T10:00:00Z"))).toMatchObject({
    anchor: second,
    found_anchor: true,
    messages: [{ id: second }],
  });
  expect(await anchor("2020-01-02")).toBe(second);
  expect(await anchor("2020-01-02T10:00:01")).toBe(third);
  expect(await anchor("2020-01-02T12:00:00+02:00")).toBe(second);
  expect(await anchor("2001-01-01")).toBe(first);
  expect(await anchor("2199-12-31")).toBe(third);
  const around = success(await ask("2020-01-02T10:00Z", { num_before: 5, num_after: 5 }));
  expect(around.messages.map(({ id }) => id)).toEqual(ids);
  expect(await ask(undefined)).toMatchObject({ msg: "Missing 'anchor_date' argument." });
  for (const date of ["yesterday", "", "2020-13-01", "1577872800"])
    expect(await ask(date)).toMatchObject({ msg: "anchor_date is not an ISO 8601 date." });
  const nothing = [...narrow, { operator: "topic", operand: "none" }];
  expect(success(await ask("2020-01-01", { narrow: nothing })).messages).toEqual([]);
  const plain = { anchor: "newest", anchor_date: "2020-01-01", num_before: 1, num_after: 0, narrow };
  expect(success(await ophelia.call(getMessages, plain)).messages).toMatchObject([{ id: third }]);
});

test("a narrow finds the messages that mention somebody by name", async () => {
  const channel = await channelOf([hamlet, ophelia], "Letters");
  const say = (content: string) => sendToChannel(hamlet, channel, { content });
  const aloud = await say(`hello @**${guest.fullName}|${guest.id}**`);
  const others = [
    await say(`hello @_**${guest.fullName}|${guest.id}**`),
    await say("hello @**all**"),
    await say(`\`@**${guest.fullName}|${guest.id}**\``),
  ];
  const direct = await sendDirect(hamlet, [ophelia, guest], { content: `@**${guest.fullName}**` });
  await sendDirect(hamlet, [guest], { content: `@**${guest.fullName}**` });
  const of = (operand: number | string, negated = false) => ({ operator: "mentions", operand, negated });
  const inside = { operator: "channel", operand: channel.id };
  const find = async (narrow: Narrow) =>
    success(await ophelia.call(getMessages, { anchor: "newest", num_before: 100, narrow })).messages.map(
      ({ id }) => id,
    );

  expect(await find([of(guest.id)])).toEqual([aloud, direct]);
  expect(await find([inside, of(guest.email)])).toEqual([aloud]);
  expect(await find([inside, of(guest.id, true)])).toEqual(others);
  const matching = success(await ophelia.call(matchNarrow, { msg_ids: [aloud, ...others], narrow: [of(guest.id)] }));
  expect(Object.keys(matching.messages)).toEqual([String(aloud)]);
  const unknown = { anchor: "newest", num_before: 1, narrow: [of(2 ** 40)] };
  expect(await ophelia.call(getMessages, unknown)).toMatchObject({ code: "BAD_NARROW" });
  const queue = { event_types: '["message"]', narrow: `[["mentions","${guest.id}"]]` };
  expect(await ophelia.request("POST", "/register", queue)).toMatchObject({ result: "error" });
});

test("a reported message is quoted to the moderators, and to nobody else", async () => {
  const message_id = await sendToChannel(ophelia, castle, { content: `rude words, @**${hamlet.fullName}**` });
  const report = (params: object, user = hamlet) =>
    user.call(reportMessage, { message_id, report_type: "harassment", ...params });
  expect(await report({})).toMatchObject({ msg: "Message reporting is not enabled in this organization." });
  const desk = await channelOf([admin], "Desk", { isPrivate: true });
  success(await admin.call(updateRealm, { moderation_request_channel_id: desk.id }));
  const [queue, outside] = [await admin.register(["message"]), await hamlet.register(["message"])];

  success(await report({ description: "This hurts." }));

  const { message, flags } = await queue.nextOf("message");
  expect(message).toMatchObject({
    stream_id: desk.id,
    subject: `${ophelia.fullName} moderation`,
    sender_full_name: "Notification Bot",
  });
  for (const part of ["rude words", "This hurts.", "Harassment", `near/${message_id}`, hamlet.fullName])
    expect(message.content).toContain(part);
  expect(flags).toEqual([]);
  const mark = await sendDirect(hamlet, [hamlet]);
  expect(await outside.nextOf("message")).toMatchObject({ message: { id: mark } });
  expect(await report({ report_type: "other" })).toMatchObject({ msg: "An explanation is required." });
  const tooLong = { report_type: "spam", description: "d".repeat(1001) };
  const long = await hamlet.request("POST", `/messages/${message_id}/report`, tooLong);
  expect(long).toMatchObject({ msg: expect.stringContaining("description") });
  const secret = await sendDirect(ophelia, [admin]);
  expect(await report({ message_id: secret })).toMatchObject({ msg: "Invalid message(s)" });
  success(await report({ message_id: await sendDirect(ophelia, [hamlet]) }));
  success(await report({}, guest));
  success(await admin.call(updateRealm, { moderation_request_channel_id: -1 }));
});

// Reminders

const remind = async (user: TestUser, message_id: number, note?: string) => {
  const params = { message_id, scheduled_delivery_timestamp: inAnHour(), ...(note === undefined ? {} : { note }) };
  return success(await user.call(createReminder, params)).reminder_id;
};
const remindersOf = async (user: TestUser) => success(await user.call(getReminders, {})).reminders;

test("only its owner sees a reminder, which quotes and links the message", async () => {
  const message_id = await sendToChannel(ophelia, castle, { content: "rosemary" });
  const poll = await sendToChannel(ophelia, castle, { content: "/poll tea?\nyes" });
  const [queue, other] = [await hamlet.register(["reminders"], ["reminders"]), await ophelia.register(["reminders"])];
  expect(queue.state.reminders).toEqual([]);

  const reminder_id = await remind(hamlet, message_id, "pray");
  const ofPoll = await remind(hamlet, poll);

  const added = await queue.nextOf("reminders");
  const [reminder] = await remindersOf(hamlet);
  expect(added).toEqual({ type: "reminders", op: "add", reminders: [reminder] });
  expect(reminder).toMatchObject({
    reminder_id,
    type: "private",
    to: [hamlet.id],
    failed: false,
    reminder_target_message_id: message_id,
  });
  for (const part of ["rosemary", "pray", `near/${message_id}`]) expect(reminder?.content).toContain(part);
  const named = (await remindersOf(hamlet)).find((one) => one.reminder_id === ofPoll);
  expect(named?.content).toContain("poll");
  expect(named?.content).not.toContain("tea?");
  expect(await remindersOf(ophelia)).toEqual([]);
  expect(await ophelia.call(deleteReminder, { reminder_id })).toMatchObject({ msg: "Reminder does not exist" });
  for (const id of [reminder_id, ofPoll]) success(await hamlet.call(deleteReminder, { reminder_id: id }));
  expect(await queue.next()).toMatchObject({ op: "add", reminders: [{ reminder_id: ofPoll }] });
  for (const id of [reminder_id, ofPoll]) expect(await queue.next()).toMatchObject({ op: "remove", reminder_id: id });
  expect(await other.all()).toEqual([]);
});

test("a reminder has a time in the future, a readable message and a short note", async () => {
  const message_id = await sendToChannel(ophelia, castle);
  const secret = await sendDirect(ophelia, [admin]);
  const ask = (params: object) =>
    hamlet.call(createReminder, { message_id, scheduled_delivery_timestamp: inAnHour(), ...params });

  const late = await ask({ scheduled_delivery_timestamp: 1 });
  expect(late).toMatchObject({ msg: "Scheduled delivery time must be in the future." });
  expect(await ask({ message_id: secret })).toMatchObject({ msg: "Invalid message(s)" });
  expect(await ask({ note: "n".repeat(1001) })).toMatchObject({ msg: "Maximum reminder note length: 1000 characters" });
  const { reminder_id } = success(await ask({ note: "n".repeat(1000) }));
  success(await hamlet.call(deleteReminder, { reminder_id }));
});

test("a due reminder is sent once, with the text as it is then", async () => {
  const message_id = await sendToChannel(ophelia, castle, { content: "before" });
  const id = await remind(hamlet, message_id, "because");
  const gone = await sendToChannel(hamlet, castle, { content: "gone" });
  const lost = await remind(hamlet, gone);
  const queue = await hamlet.register(["reminders", "message"]);
  success(await ophelia.call(updateMessage, { message_id, content: "after" }));
  success(await admin.call(deleteMessage, { message_id: gone }));
  expect(await queue.nextOf("reminders")).toMatchObject({ op: "remove", reminder_id: lost });
  await sql`update reminders set deliver_at = now() - interval '1 second' where id = ${id}`.execute(realm.ctx.db);
  const deliver = (node: number) => {
    const { ctx } = realm.nodes[node] ?? realm;
    return deliverReminder.run(ctx, { id }, { attempt: 1, maxAttempts: 1 });
  };

  await Promise.all([deliver(0), deliver(1), deliver(0)]);

  const { message, flags } = await queue.nextOf("message");
  expect(message).toMatchObject({ type: "private", sender_full_name: "Notification Bot" });
  for (const part of ["after", "because", `near/${message_id}`]) expect(message.content).toContain(part);
  expect(message.content).not.toContain("before");
  expect(flags).not.toContain("read");
  expect(await remindersOf(hamlet)).toEqual([]);
  const mark = await sendDirect(hamlet, [hamlet]);
  expect(await queue.nextOf("message")).toMatchObject({ message: { id: mark } });
});

test("a reminder of a message that is no longer readable does not quote it", async () => {
  const vault = await channelOf([ophelia, hamlet], "Vault", { isPrivate: true });
  const id = await remind(hamlet, await sendToChannel(ophelia, vault, { content: "secret" }), "the key");
  success(await hamlet.call(unsubscribe, { subscriptions: [vault.name] }));
  await sql`update reminders set deliver_at = now() - interval '1 second' where id = ${id}`.execute(realm.ctx.db);
  const queue = await hamlet.register(["message"]);

  await deliverReminder.run(realm.ctx, { id }, { attempt: 1, maxAttempts: 1 });

  const { message } = await queue.nextOf("message");
  expect(message.content).toContain("the key");
  expect(message.content).not.toContain("secret");
});

// Navigation views

test("navigation views are personal, and are told as they change", async () => {
  const queue = await hamlet.register(["navigation_view"], ["navigation_views"]);
  const other = await ophelia.register(["navigation_view"]);
  const fragment = `narrow/channel/${castle.id}-Castle/topic/a.20b`;
  const list = async (user: TestUser) => success(await user.call(getNavigationViews, {})).navigation_views;
  expect(queue.state.navigation_views).toEqual([]);

  success(await hamlet.call(addNavigationView, { fragment: "inbox", is_pinned: false }));
  success(await hamlet.call(addNavigationView, { fragment, is_pinned: true, name: "Mine" }));
  success(await hamlet.call(editNavigationView, { fragment, is_pinned: false, name: "Ours" }));
  expect(await hamlet.request("PATCH", `/navigation_views/${fragment}`, { is_pinned: "true" })).toMatchObject({
    result: "success",
  });
  const inbox = { fragment: "inbox", is_pinned: false, name: null };
  expect(await list(hamlet)).toEqual([inbox, { fragment, is_pinned: true, name: "Ours" }]);
  expect(await list(ophelia)).toEqual([]);
  success(await hamlet.call(removeNavigationView, { fragment }));

  const events = [];
  for (let n = 0; n < 5; n++) events.push(await queue.next());
  expect(events).toEqual([
    { type: "navigation_view", op: "add", navigation_view: inbox },
    { type: "navigation_view", op: "add", navigation_view: { fragment, is_pinned: true, name: "Mine" } },
    { type: "navigation_view", op: "update", fragment, data: { is_pinned: false, name: "Ours" } },
    { type: "navigation_view", op: "update", fragment, data: { is_pinned: true } },
    { type: "navigation_view", op: "remove", fragment },
  ]);
  expect(await other.all()).toEqual([]);
});

test("built-in views have no name, others need one, and neither exists twice", async () => {
  const add = (fragment: string, name?: string) =>
    ophelia.call(addNavigationView, { fragment, is_pinned: true, ...(name === undefined ? {} : { name }) });
  const exists = { msg: "Navigation view already exists." };
  const missing = { msg: "Navigation view does not exist." };
  const dms = "narrow/is/dm";

  expect(await add("inbox", "Mine")).toMatchObject({ msg: expect.stringContaining("Built-in") });
  expect(await add(dms)).toMatchObject({ msg: expect.stringContaining("name") });
  expect(await add("", "Mine")).toMatchObject({ msg: expect.stringContaining("fragment") });
  success(await add(dms, "Letters"));
  success(await add("narrow/is/starred"));
  expect(await add(dms, "Other")).toMatchObject(exists);
  expect(await add("narrow/is/followed", "Letters")).toMatchObject(exists);
  success(await add("narrow/is/followed", "Followed"));
  const rename = { fragment: "narrow/is/followed", name: "Letters" };
  expect(await ophelia.call(editNavigationView, rename)).toMatchObject(exists);
  const builtIn = await ophelia.call(editNavigationView, { fragment: "narrow/is/starred", name: "Stars" });
  expect(builtIn).toMatchObject({ msg: expect.stringContaining("Built-in") });
  expect(await guest.call(editNavigationView, { fragment: dms, is_pinned: false })).toMatchObject(missing);
  expect(await guest.call(removeNavigationView, { fragment: dms })).toMatchObject(missing);
  const answers = await Promise.all(Array.from({ length: 6 }, () => add("narrow/near/1", "Together")));
  expect(answers.filter(({ result }) => result === "success")).toHaveLength(1);
});

// Resolved topics

test("the notice of resolving is unread for those who want that", async () => {
  const [always, never] = [await realm.user("always"), await realm.user("never")];
  const [follower, other] = [await realm.user("follower"), await realm.user("other")];
  const channel = await channelOf([hamlet, always, never, follower, other], "Court");
  const choose = async (user: TestUser, resolved_topic_notice_auto_read_policy: "always" | "never") =>
    success(await user.call(updateSettings, { resolved_topic_notice_auto_read_policy }));
  await choose(always, "always");
  await choose(never, "never");
  const message_id = await sendToChannel(hamlet, channel, { topic: "plan" });
  for (const user of [always, follower])
    success(await user.call(updateUserTopic, { stream_id: channel.id, topic: "plan", visibility_policy: 3 }));
  const everybody = [hamlet, always, never, follower, other];
  const queues = await Promise.all(everybody.map((user) => user.register(["message"])));

  success(await hamlet.call(updateMessage, { message_id, topic: "✔ plan", propagate_mode: "change_all" }));

  const told = await Promise.all(queues.map((queue) => queue.nextOf("message")));
  expect(told.map(({ flags }) => flags.includes("read"))).toEqual([true, true, false, false, true]);
  const id = told[0]?.message.id ?? 0;
  const stored = await Promise.all(everybody.map((user) => flagsFor(user, id)));
  expect(stored.map((flags) => flags.includes("read"))).toEqual([true, true, false, false, true]);
});

// People

test("administrators set the status of others", async () => {
  const queue = await hamlet.register(["user_status"]);
  const set = (user: TestUser, params: object) => user.call(updateUserStatus, { user_id: ophelia.id, ...params });

  success(await set(admin, { status_text: "on leave", emoji_name: "car" }));

  expect(await queue.next()).toMatchObject({ user_id: ophelia.id, status_text: "on leave", emoji_name: "car" });
  expect(await set(hamlet, { status_text: "x" })).toMatchObject({ msg: "Must be an organization administrator" });
  expect(await set(admin, {})).toMatchObject({ msg: "Client did not pass any new values." });
  expect(await set(admin, { user_id: 2 ** 40, status_text: "x" })).toMatchObject({ msg: "No such user" });
});

test("of all users a client gets those it asks for and may see", async () => {
  const ask = async (user_ids: number[]) =>
    success(await hamlet.call(getUsers, { user_ids })).members.map(({ user_id }) => user_id);

  expect(await ask([ophelia.id, admin.id, 2 ** 40])).toEqual([admin.id, ophelia.id].toSorted((a, b) => a - b));
  expect(await ask([])).toEqual([]);
});

test("the welcome bot adds the organization's text to its greeting, and shows it to administrators first", async () => {
  const queue = await admin.register(["message"]);
  const text = "Lunch is at *noon*.";
  const { message_id } = success(await admin.call(testWelcomeMessage, { welcome_message_custom_text: text }));
  expect(await queue.nextOf("message")).toMatchObject({
    message: { id: message_id, sender_full_name: "Welcome Bot", content: text },
  });
  expect(await admin.call(testWelcomeMessage, { welcome_message_custom_text: " " })).toMatchObject({
    msg: "Message must not be empty",
  });
  const denied = { msg: "Must be an organization administrator" };
  expect(await hamlet.call(testWelcomeMessage, { welcome_message_custom_text: text })).toMatchObject(denied);
  const invite = (user: TestUser) =>
    user.call(createInvitationLink, { stream_ids: [], welcome_message_custom_text: text });
  success(await invite(admin));
  success(
    await admin.call(updateRealm, { create_multiuse_invite_group: { new: await groupId(realm, "role:members") } }),
  );
  expect(await invite(hamlet)).toMatchObject(denied);

  success(await admin.call(updateRealm, { welcome_message_custom_text: text }));
  const account = { email: "newcomer@example.com", password: "a long enough password 4 all", full_name: "Newcomer" };
  const { user_id } = success(await admin.call(createUser, account));
  const greeting = await realm.ctx.db
    .selectFrom("messages")
    .innerJoin("message_flags", "message_flags.message_id", "messages.id")
    .select("messages.content")
    .where("message_flags.user_id", "=", user_id)
    .executeTakeFirstOrThrow();
  expect(greeting.content).toMatch(/^Hello Newcomer[^]*\n\nLunch is at \*noon\*\.$/);
});
