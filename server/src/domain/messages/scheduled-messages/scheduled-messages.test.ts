import { sendMessage } from "@skein/api/messages.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  getScheduledMessages,
  updateScheduledMessage,
  type ScheduledMessage,
} from "@skein/api/scheduled-messages.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { Context } from "../../../context.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf } from "../../../../test/actions.ts";
import { deliverScheduledMessage } from "./deliver.ts";

const tomorrow = () => Math.floor(Date.now() / 1000) + 86_400;
const list = async (user: TestUser): Promise<ScheduledMessage[]> =>
  success(await user.call(getScheduledMessages, {})).scheduled_messages;

async function scheduleToChannel(user: TestUser, channelId: number, content = "later", when = tomorrow()) {
  const params = { type: "channel", to: channelId, topic: "plans", content } as const;
  const answer = success(await user.call(createScheduledMessage, { ...params, scheduled_delivery_timestamp: when }));
  return answer.scheduled_message_id;
}

/** Makes the message due, this many seconds ago. */
const makeDue = (realm: TestRealm, id: number, secondsAgo = 1) =>
  realm.ctx.db
    .updateTable("scheduled_messages")
    .set({ deliver_at: new Date(Date.now() - secondsAgo * 1000) })
    .where("id", "=", id)
    .execute();

const deliver = (ctx: Context, id: number) => deliverScheduledMessage.run(ctx, { id }, { attempt: 1, maxAttempts: 1 });

const sentTimes = async (realm: TestRealm, content: string): Promise<number> => {
  const rows = await realm.ctx.db
    .selectFrom("messages")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("content", "=", content)
    .execute();
  return rows.length;
};

// spec 4.2: type, to, content, topic, scheduled_delivery_timestamp, response
test("only its sender sees a scheduled message before it is due", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const channel = await channelOf([ann, bob], "plans");
  const [own, foreign] = [await ann.register(["scheduled_messages"]), await bob.register(["scheduled_messages"])];
  const when = tomorrow();

  const inChannel = await scheduleToChannel(ann, channel.id, "**later**", when + 1);
  const direct = success(
    await ann.call(createScheduledMessage, {
      type: "direct",
      to: [bob.id, ann.id],
      content: "hello",
      scheduled_delivery_timestamp: when,
    }),
  ).scheduled_message_id;

  const expected = {
    channel: {
      scheduled_message_id: inChannel,
      type: "stream",
      to: channel.id,
      topic: "plans",
      content: "**later**",
      rendered_content: "<p><strong>later</strong></p>",
      scheduled_delivery_timestamp: when + 1,
      failed: false,
    },
    direct: {
      scheduled_message_id: direct,
      type: "private",
      to: [bob.id],
      content: "hello",
      rendered_content: "<p>hello</p>",
      scheduled_delivery_timestamp: when,
      failed: false,
    },
  };
  expect(await list(ann)).toEqual([expected.direct, expected.channel]);
  expect(await list(bob)).toEqual([]);
  expect(await own.next()).toEqual({ type: "scheduled_messages", op: "add", scheduled_messages: [expected.channel] });
  expect(await own.next()).toEqual({ type: "scheduled_messages", op: "add", scheduled_messages: [expected.direct] });
  expect(await foreign.all()).toEqual([]);
});

// spec 3.3: scheduled message delivered
// spec 2.6: scheduled_message_id
test("the worker sends the message when it is due, and it is no longer scheduled", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const channel = await channelOf([ann, bob], "plans");
  const reader = await bob.register(["message"]);
  const writer = await ann.register(["scheduled_messages"]);
  const when = Math.floor(Date.now() / 1000) + 1;

  const id = await scheduleToChannel(ann, channel.id, "now", when);

  const { message } = await reader.nextOf("message");
  expect(message).toMatchObject({ content: "now", subject: "plans", sender_id: ann.id, stream_id: channel.id });
  expect(message.timestamp).toBeGreaterThanOrEqual(when);
  expect(await writer.next()).toMatchObject({ op: "add" });
  expect(await writer.next()).toEqual({ type: "scheduled_messages", op: "remove", scheduled_message_id: id });
  expect(await list(ann)).toEqual([]);
});

// spec 4.2: read_by_sender
test("the sent message is read or unread for its sender, as requested", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const queue = await ann.register(["message"]);
  for (const read_by_sender of [true, false]) {
    const params = { type: "channel", to: channel.id, topic: "plans", content: String(read_by_sender) } as const;
    const { scheduled_message_id: id } = success(
      await ann.call(createScheduledMessage, { ...params, read_by_sender, scheduled_delivery_timestamp: tomorrow() }),
    );
    await makeDue(realm, id);
    await deliver(realm.ctx, id);
    const { message, flags } = await queue.nextOf("message");
    expect([message.content, flags]).toEqual([String(read_by_sender), read_by_sender ? ["read"] : []]);
  }
});

test("two workers that deliver the same message concurrently send it once", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => scheduleToChannel(ann, channel.id, `once ${n}`)));
  for (const id of ids) await makeDue(realm, id);

  await Promise.all(realm.nodes.flatMap(({ ctx }) => ids.flatMap((id) => [deliver(ctx, id), deliver(ctx, id)])));

  for (const n of ids.keys()) expect(await sentTimes(realm, `once ${n}`)).toBe(1);
  expect(await list(ann)).toEqual([]);
});

test("a worker that loses its database connection half-way has sent nothing; the next one sends the message once", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const id = await scheduleToChannel(ann, channel.id, "not twice");
  await makeDue(realm, id);
  const { db } = realm.ctx;

  // The worker waits for the row lock, and is disconnected there.
  const cutOff = await transaction(db, "hold", async (tx) => {
    await tx.selectFrom("scheduled_messages").select("id").where("id", "=", id).forUpdate().execute();
    const { rows: own } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    const delivering = deliver(realm.ctx, id).catch((error: unknown) => error);
    for (;;) {
      const { rows } = await sql<{ ended: boolean }>`
        select pg_terminate_backend(pid) as ended from pg_stat_activity
        where ${own[0]?.pid ?? 0} = any(pg_blocking_pids(pid))`.execute(db);
      if (rows.length > 0) return delivering;
    }
  });
  expect(cutOff).toBeInstanceOf(Error);
  expect(await sentTimes(realm, "not twice")).toBe(0);

  await deliver(realm.ctx, id);
  await deliver(realm.ctx, id);
  expect(await sentTimes(realm, "not twice")).toBe(1);
});

// spec 3.3: scheduled message failed
test("a message that can no longer be sent is marked as failed, and its sender is notified", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const channel = await channelOf([bob, ann], "secret", { isPrivate: true });
  const id = await scheduleToChannel(ann, channel.id);
  success(await ann.call(unsubscribe, { subscriptions: ["secret"] }));
  const queue = await ann.register(["scheduled_messages", "message"]);
  await makeDue(realm, id);

  await deliver(realm.ctx, id);

  const { message } = await queue.nextOf("message");
  expect(message.sender_full_name).toBe("Notification Bot");
  expect(message.content).toContain("could not be sent");
  expect(await queue.next()).toMatchObject({
    op: "update",
    scheduled_message: { scheduled_message_id: id, failed: true },
  });
  expect(await list(ann)).toMatchObject([{ scheduled_message_id: id, failed: true }]);
  expect(await sentTimes(realm, "later")).toBe(0);
});

test("ten minutes late is too late; a new time reschedules the message", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const [late, stillGood] = [
    await scheduleToChannel(ann, channel.id),
    await scheduleToChannel(ann, channel.id, "good"),
  ];
  await makeDue(realm, late, 11 * 60);
  await makeDue(realm, stillGood, 9 * 60);
  await deliver(realm.ctx, late);
  await deliver(realm.ctx, stillGood);
  expect(await sentTimes(realm, "good")).toBe(1);
  expect(await list(ann)).toMatchObject([{ failed: true }]);

  const change = { scheduled_message_id: late, content: "better late" };
  expect(await ann.call(updateScheduledMessage, change)).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  success(await ann.call(updateScheduledMessage, { ...change, scheduled_delivery_timestamp: tomorrow() }));
  expect(await list(ann)).toMatchObject([{ failed: false, content: "better late" }]);
});

test("a deactivated user's scheduled message is not sent, and nobody is notified", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const id = await scheduleToChannel(ann, channel.id);
  await makeDue(realm, id);
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", ann.id).execute();

  await deliver(realm.ctx, id);

  expect(await sentTimes(realm, "later")).toBe(0);
  const { rows } = await sql`select from messages where realm_id = ${realm.id} and content like '%could not%'`.execute(
    realm.ctx.db,
  );
  expect(rows).toHaveLength(0);
});

test("every part of a scheduled message can be changed, and it is checked again", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const channel = await channelOf([ann], "plans");
  const secret = await channelOf([bob], "secret", { isPrivate: true });
  const id = await scheduleToChannel(ann, channel.id);
  const queue = await ann.register(["scheduled_messages"], ["scheduled_messages"]);
  const update = (change: object) => ann.call(updateScheduledMessage, { scheduled_message_id: id, ...change });

  success(await update({ content: "new *text*" }));
  expect(await queue.next()).toMatchObject({
    op: "update",
    scheduled_message: { content: "new *text*", rendered_content: "<p>new <em>text</em></p>" },
  });
  success(await update({ topic: "other" }));
  success(await update({ type: "direct", to: [bob.id] }));
  expect(await list(ann)).toMatchObject([{ type: "private", to: [bob.id], content: "new *text*" }]);
  success(await update({ type: "channel", to: channel.id, topic: "back" }));
  expect(await list(ann)).toMatchObject([{ type: "stream", to: channel.id, topic: "back" }]);

  for (const wrong of [
    {},
    { type: "direct" },
    { to: secret.id },
    { to: [bob.id] },
    { content: " " },
    { scheduled_delivery_timestamp: 1 },
  ])
    expect(await update(wrong)).toMatchObject({ result: "error", code: expect.stringMatching(/BAD_REQUEST|STREAM/) });
  expect(await list(ann)).toMatchObject([{ type: "stream", to: channel.id, topic: "back", content: "new *text*" }]);
});

test("subject is an alias of topic when scheduling and changing", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const when = { scheduled_delivery_timestamp: String(tomorrow()) };
  const form = { type: "channel", to: String(channel.id), content: "later", subject: "old name", ...when };

  const created = await ann.request("POST", "/scheduled_messages", form);
  const [scheduled] = await list(ann);
  const path = `/scheduled_messages/${scheduled?.scheduled_message_id}`;
  const changed = await ann.request("PATCH", path, { subject: "newer name" });

  expect(created).toEqual({ result: "success", msg: "", scheduled_message_id: scheduled?.scheduled_message_id });
  expect(scheduled).toMatchObject({ topic: "old name" });
  expect(changed).toEqual({ result: "success", msg: "" });
  expect(await list(ann)).toMatchObject([{ topic: "newer name" }]);
});

test("nobody else can change or remove it, and it looks as if it did not exist", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const channel = await channelOf([ann], "plans");
  const id = await scheduleToChannel(ann, channel.id);
  const missing = await bob.call(deleteScheduledMessage, { scheduled_message_id: 999_999_999 });
  expect(missing).toMatchObject({ result: "error", code: "BAD_REQUEST", msg: "Scheduled message does not exist" });
  expect(await bob.call(deleteScheduledMessage, { scheduled_message_id: id })).toEqual(missing);
  expect(await bob.call(updateScheduledMessage, { scheduled_message_id: id, content: "mine" })).toEqual(missing);
  expect(await list(ann)).toHaveLength(1);

  const queue = await ann.register(["scheduled_messages"]);
  success(await ann.call(deleteScheduledMessage, { scheduled_message_id: id }));
  expect(await queue.next()).toEqual({ type: "scheduled_messages", op: "remove", scheduled_message_id: id });
  expect(await list(ann)).toEqual([]);
});

// spec 4.2: error STREAM_DOES_NOT_EXIST, error invalid user ID, error time in the past
test("only a message that could be sent now can be scheduled", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const guest = await realm.user("guest", { role: 600 });
  const open = await channelOf([bob], "open");
  const secret = await channelOf([bob], "secret", { isPrivate: true });
  const other = await newRealm();
  const foreign = await channelOf([other.admin], "foreign");
  const schedule = (user: TestUser, params: object) =>
    user.call(createScheduledMessage, {
      type: "channel",
      to: open.id,
      topic: "t",
      content: "c",
      scheduled_delivery_timestamp: tomorrow(),
      ...params,
    });
  for (const channel of [secret, foreign, { id: 999_999_999 }])
    expect(await schedule(ann, { to: channel.id })).toMatchObject({
      code: "STREAM_DOES_NOT_EXIST",
      stream_id: channel.id,
    });
  for (const wrong of [
    { topic: undefined },
    { scheduled_delivery_timestamp: 1 },
    { content: "" },
    { to: [open.id] },
    { type: "direct", to: bob.id },
    { type: "direct", to: [] },
    { type: "direct", to: [999_999_999] },
    { type: "direct", to: [other.admin.id] },
  ])
    expect(await schedule(ann, wrong)).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  expect(await schedule(guest, {})).toMatchObject({ result: "error" });
  expect(await list(ann)).toEqual([]);
});

test("a client that follows the events has the same scheduled messages as a fresh registration", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "plans");
  const kept = await scheduleToChannel(ann, channel.id, "kept");
  const queue = await ann.register(["scheduled_messages", "message"], ["scheduled_messages"]);
  const soon = await scheduleToChannel(ann, channel.id, "sooner", tomorrow() - 1000);
  const gone = await scheduleToChannel(ann, channel.id, "gone");
  success(await ann.call(updateScheduledMessage, { scheduled_message_id: kept, topic: "changed" }));
  success(await ann.call(deleteScheduledMessage, { scheduled_message_id: gone }));
  await makeDue(realm, soon);
  await deliver(realm.ctx, soon);
  const { id } = success(await ann.call(sendMessage, { type: "channel", to: channel.id, topic: "t", content: "end" }));
  const { scheduled_messages } = await queue.followedState(id);
  const fresh = await ann.register([], ["scheduled_messages"]);
  expect(scheduled_messages).toEqual(fresh.state.scheduled_messages);
  expect(fresh.state.scheduled_messages).toHaveLength(1);
});
