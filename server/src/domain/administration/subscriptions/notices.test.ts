import { subscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendDirect } from "../../../../test/actions.ts";
import { sendSubscriptionNotices } from "./notices.ts";

const add = async (user: TestUser, names: string[], people: number[], more = {}) =>
  success(await user.call(subscribe, { subscriptions: names.map((name) => ({ name })), principals: people, ...more }));

test("a user whom somebody else subscribes to existing channels is notified once", async () => {
  const realm = await newRealm();
  const [hamlet, friend, bot] = [await realm.user("hamlet"), await realm.user("friend"), await realm.user("bot")];
  await sql`update users set is_bot = true, bot_type = 1, bot_owner_id = ${hamlet.id} where id = ${bot.id}`.execute(
    realm.ctx.db,
  );
  await channelOf([hamlet], "court");
  await channelOf([hamlet], "Closet", { isPrivate: true });
  const queue = await friend.register(["message"]);
  const own = await hamlet.register(["message"]);

  await add(hamlet, ["court", "Closet", "brand new"], [friend.id, bot.id, hamlet.id]);

  const { message, flags } = await queue.nextOf("message");
  expect(message).toMatchObject({
    type: "private",
    sender_full_name: "Notification Bot",
    content: `@_**hamlet|${hamlet.id}** subscribed you to these channels:\n\n* #**Closet**\n* #**court**`,
  });
  expect(flags).toEqual([]);
  await add(hamlet, ["court"], [friend.id]);
  await channelOf([hamlet], "yard");
  await add(hamlet, ["yard"], [friend.id]);
  expect((await queue.nextOf("message")).message.content).toBe(
    `@_**hamlet|${hamlet.id}** subscribed you to #**yard**.`,
  );
  const mark = await sendDirect(friend, [hamlet]);
  expect((await own.nextOf("message")).message.id).toBe(mark);
});

test("a job that runs a second time sends nothing again", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  await channelOf([hamlet], "court");
  const queue = await friend.register(["message"]);
  const before = await sql<{
    id: number;
  }>`select nextval(pg_get_serial_sequence('subscription_notices', 'id')) as id`.execute(realm.ctx.db);

  await add(hamlet, ["court"], [friend.id]);
  const first = await queue.nextOf("message");
  for (let id = before.rows[0]?.id ?? 0, last = id + 5; id < last; id++)
    await sendSubscriptionNotices.run(realm.ctx, { id }, { attempt: 2, maxAttempts: 12 });
  const mark = await sendDirect(hamlet, [friend]);

  expect(first.message.content).toContain("subscribed you to #**court**");
  expect((await queue.nextOf("message")).message.id).toBe(mark);
});

test("nobody is notified if too many are subscribed at once", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  await channelOf([hamlet], "court");
  const { rows } = await sql<{ id: number }>`
    insert into users (realm_id, delivery_email, full_name)
    select ${realm.id}, 'crowd' || i || '@' || ${realm.host}::text, 'One of many ' || i from generate_series(1, 100) i
    returning id`.execute(realm.ctx.db);

  await add(hamlet, ["court"], [friend.id, ...rows.map((row) => row.id)]);

  const noted = await sql`select from subscription_notices where realm_id = ${realm.id}`.execute(realm.ctx.db);
  expect(noted.rows).toEqual([]);
});

// spec 4.3: announce
test("new channels, except private ones, are announced in the organization's channel for it", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const news = await channelOf([realm.admin], "news");
  const queue = await realm.admin.register(["message"]);
  await add(hamlet, ["too early"], [hamlet.id], { announce: true });
  await realm.ctx.db
    .updateTable("realms")
    .set({ new_stream_announcements_stream_id: news.id })
    .where("id", "=", realm.id)
    .execute();

  await add(hamlet, ["quiet"], [hamlet.id]);
  await add(hamlet, ["closet"], [hamlet.id], { announce: true, invite_only: true });
  await add(hamlet, ["quiet"], [hamlet.id], { announce: true });
  await add(hamlet, ["court", "yard"], [hamlet.id], { announce: true });

  const { message } = await queue.nextOf("message");
  expect(message).toMatchObject({
    stream_id: news.id,
    subject: "new channels",
    sender_full_name: "Notification Bot",
    content: `@_**hamlet|${hamlet.id}** created new channels: #**court**, #**yard**`,
  });
});
