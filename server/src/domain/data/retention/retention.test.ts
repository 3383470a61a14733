import { updateChannel } from "@skein/api/channels.ts";
import { getMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { getAttachments } from "@skein/api/uploads.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { statusFor, uploadAs } from "../../../../test/files.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";
import { expireMessages } from "./expire.ts";
import { applyRetention, applyRetentionTo } from "./jobs.ts";

/** IDs follow the order of time: make the first messages older, and set the retention period afterwards. */
const age = ({ ctx }: TestRealm, days: number, ids: number[]) =>
  sql`update messages set date_sent = now() - make_interval(days => ${days}) where id = any(${ids}::bigint[])`.execute(
    ctx.db,
  );

const keepFor = async (channel: TestChannel, owner: TestUser, days: number | "realm_default" | "unlimited") =>
  success(await owner.call(updateChannel, { stream_id: channel.id, message_retention_days: days }));

const organizationKeeps = async (owner: TestUser, days: number | string) =>
  success(await owner.call(updateRealm, { message_retention_days: days }));

const isThere = async (reader: TestUser, id: number): Promise<boolean> =>
  (await reader.call(getMessage, { message_id: id })).result === "success";

// spec 2.2: message_retention_days
test("messages are kept for the channel's retention period, or the organization's", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const other = await newRealm();
  const [strict, usual, forever] = [
    await channelOf([admin], "strict"),
    await channelOf([admin], "usual"),
    await channelOf([admin], "forever"),
  ];
  const elsewhere = await sendToChannel(other.admin, await channelOf([other.admin], "elsewhere"));
  const sent = async (channel: TestChannel) => ({
    old: await sendToChannel(admin, channel),
    young: await sendToChannel(admin, channel),
  });
  const [inStrict, inUsual, inForever] = [await sent(strict), await sent(usual), await sent(forever)];
  const direct = { old: await sendDirect(admin, [admin]), young: await sendDirect(admin, [admin]) };
  await age(realm, 6, [inStrict.old, inUsual.young, direct.young]);
  await age(realm, 21, [inUsual.old, inForever.old, direct.old]);
  await age(realm, 4, [inStrict.young]);
  await age(other, 100, [elsewhere]);
  await organizationKeeps(admin, 20);
  await keepFor(strict, admin, 5);
  await keepFor(forever, admin, "unlimited");

  await applyRetentionTo(realm.ctx, realm.id);
  await applyRetentionTo(realm.ctx, other.id);

  const there = async ({ old, young }: { old: number; young: number }) => [
    await isThere(admin, old),
    await isThere(admin, young),
  ];
  expect(await there(inStrict)).toEqual([false, true]);
  expect(await there(inUsual)).toEqual([false, true]);
  expect(await there(inForever)).toEqual([true, true]);
  expect(await there(direct)).toEqual([false, true]);
  expect(await isThere(other.admin, elsewhere)).toBe(true);
});

test("deletions are emitted per topic to those who have the messages, and to nobody else", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [reader, outsider] = [await realm.user("reader"), await realm.user("outsider")];
  const channel = await channelOf([admin, reader], "secret", { isPrivate: true });
  const [a, b, c] = [
    await sendToChannel(admin, channel, { topic: "one" }),
    await sendToChannel(admin, channel, { topic: "two" }),
    await sendToChannel(admin, channel, { topic: "one" }),
  ];
  const direct = await sendDirect(admin, [reader]);
  await age(realm, 2, [a, b, c, direct]);
  await keepFor(channel, admin, 1);
  const queue = await reader.register(["delete_message"]);
  const others = await outsider.register(["delete_message"]);

  await expireMessages(realm.ctx, realm.id);

  const told = { type: "delete_message", message_type: "stream", stream_id: channel.id };
  expect(await queue.next()).toEqual({ ...told, topic: "one", message_ids: [a, c] });
  expect(await queue.next()).toEqual({ ...told, topic: "two", message_ids: [b] });
  expect(await queue.all()).toEqual([]);
  expect(await others.all()).toEqual([]);
});

test("applying the events matches a fresh registration", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const reader = await realm.user("reader");
  const channel = await channelOf([admin, reader], "open");
  await organizationKeeps(admin, 3);
  const old = [await sendToChannel(admin, channel), await sendDirect(admin, [reader])];
  await sendToChannel(admin, channel);
  await age(realm, 4, old);
  const parts = ["message", "update_message_flags", "starred_messages", "stream", "subscription"];
  const queue = await reader.register(undefined, parts, { include_subscribers: true });

  expect(await expireMessages(realm.ctx, realm.id)).toBe(2);
  const followed = await queue.followedState(await sendToChannel(admin, channel));

  const { state } = await reader.register([], parts, { include_subscribers: true });
  expect(followed.unread_msgs).toEqual(state.unread_msgs);
  expect(followed.streams).toEqual(state.streams);
});

test("many messages are deleted in batches, once, even by several workers", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const channel = await channelOf([admin], "busy");
  const first = await sendToChannel(admin, channel);
  await sql`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content, date_sent)
    select realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content, now() - interval '2 days'
    from messages, generate_series(1, 500) where id = ${first}`.execute(realm.ctx.db);
  await age(realm, 2, [first]);
  await keepFor(channel, admin, 1);
  const queue = await admin.register(["delete_message"]);

  const counts = await Promise.all(Array.from({ length: 3 }, () => expireMessages(realm.ctx, realm.id)));

  expect(counts.reduce((sum, count) => sum + count)).toBe(501);
  const ids: number[] = [];
  while (ids.length < 501) ids.push(...((await queue.nextOf("delete_message")).message_ids ?? []));
  expect(new Set(ids).size).toBe(501);
  expect(ids).toHaveLength(501);
  expect(await queue.all()).toEqual([]);
  expect(await expireMessages(realm.ctx, realm.id)).toBe(0);
});

test("deleted messages are kept for a month with their files, then purged", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const { db } = realm.ctx;
  const reader = await realm.user("reader");
  const channel = await channelOf([admin, reader], "open");
  const url = await uploadAs(admin);
  const id = await sendToChannel(admin, channel, { content: `[file](${url})` });
  await age(realm, 2, [id]);
  await keepFor(channel, admin, 1);
  const kept = async () => {
    await applyRetentionTo(realm.ctx, realm.id);
    const rows = await db.selectFrom("deleted_messages").select("id").where("id", "=", id).execute();
    return [rows.length, success(await admin.call(getAttachments, {})).attachments.length];
  };

  expect(await kept()).toEqual([1, 1]);
  expect([await statusFor(reader, url), await statusFor(admin, url)]).toEqual([404, 200]);
  await sql`update deleted_messages set deleted_at = now() - interval '31 days' where id = ${id}`.execute(db);
  expect(await kept()).toEqual([0, 1]);
  await sql`update attachments set unclaimed_since = now() - interval '36 days' where realm_id = ${realm.id}`.execute(
    db,
  );
  expect(await kept()).toEqual([0, 0]);
  expect(await statusFor(admin, url)).toBe(404);
});

test("a file that was never sent is removed after some weeks, unless a scheduled message uses it", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [forgotten, planned, used] = [await uploadAs(admin), await uploadAs(admin), await uploadAs(admin)];
  await sendDirect(admin, [admin], { content: `[file](${used})` });
  const later = { type: "direct", to: `[${admin.id}]`, content: `[file](${planned})` };
  const inTwoMonths = String(Math.floor(Date.now() / 1000) + 60 * 86_400);
  const scheduled = await admin.request("POST", "/scheduled_messages", {
    ...later,
    scheduled_delivery_timestamp: inTwoMonths,
  });
  expect(scheduled).toMatchObject({ result: "success" });
  await sql`
    update attachments set unclaimed_since = now() - interval '36 days'
    where realm_id = ${realm.id} and unclaimed_since is not null`.execute(realm.ctx.db);
  const queue = await admin.register(["attachment"]);

  await Promise.all([applyRetentionTo(realm.ctx, realm.id), applyRetentionTo(realm.ctx, realm.id)]);

  const { attachments, upload_space_used } = success(await admin.call(getAttachments, {}));
  expect(attachments.map(({ path_id }) => `/user_uploads/${path_id}`)).toEqual([planned, used]);
  expect(upload_space_used).toBe(10);
  expect(await queue.next()).toMatchObject({ op: "remove", upload_space_used: 10 });
  expect(await queue.all()).toEqual([]);
  expect(await statusFor(admin, forgotten)).toBe(404);
});

test("workers apply retention every hour", async () => {
  const { ctx } = await newRealm();
  const planned = async () => {
    const { rows } = await sql`
      select from graphile_worker._private_known_crontabs where identifier = ${applyRetention.name}`.execute(ctx.db);
    return rows.length;
  };

  await expect.poll(planned).toBe(1);
  await applyRetention.run(ctx, {}, { attempt: 1, maxAttempts: 1 });
});
