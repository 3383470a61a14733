import { addApnsToken, addWebPushSubscription } from "@skein/api/push-devices.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { sql } from "kysely";
import pg from "pg";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startOwnServer, type OwnServer } from "../../../test/own-server.ts";
import { PushService, TestBrowser } from "../../../test/push-service.ts";
import { newRealm, success, type TestRealm } from "../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../test/actions.ts";
import { newVapidKey } from "../../platform/vapid.ts";
import { connect } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { sendNotice } from "../messages/send/notice.ts";
import { candidatesFor } from "./candidates.ts";
import { followBatch } from "./follow.ts";

let node: OwnServer;
beforeAll(async () => {
  node = await startOwnServer({ SKEIN_VAPID_KEY: newVapidKey() });
});

const follow = async (settled = 0) => {
  while (await followBatch(node.ctx, settled));
};

/** Which users are to get mail about which messages. */
const missedIn = async ({ id }: TestRealm) =>
  (
    await node.ctx.db
      .selectFrom("missed_messages")
      .select(["user_id", "message_id"])
      .where("realm_id", "=", id)
      .execute()
  )
    .map(({ user_id, message_id }) => [user_id, message_id])
    .toSorted(([, a = 0], [, b = 0]) => a - b);

test("a message is processed once, even by several workers", async () => {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet");
  const ids: number[] = [];
  for (let n = 0; n < 10; n++) ids.push(await sendDirect(realm.admin, [hamlet]));
  await Promise.all(Array.from({ length: 4 }, () => follow()));
  await follow();
  expect(await missedIn(realm)).toEqual(ids.map((id) => [hamlet.id, id]));

  await node.ctx.db.deleteFrom("missed_messages").where("realm_id", "=", realm.id).execute();
  await follow();
  await follow(ids.at(-1));
  await follow(ids[0]);
  expect(await missedIn(realm)).toEqual([]);
});

test("a message that becomes visible below processed ones is not skipped", async () => {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet");
  const before = await sendDirect(realm.admin, [hamlet]);
  await follow();
  const slow = new pg.Client(node.ctx.config.databaseUrl);
  await slow.connect();
  await slow.query("begin");
  const { rows } = await slow.query<{ id: string }>(
    `insert into messages (realm_id, conversation_id, sender_id, client_id, content, rendered_content)
     select realm_id, conversation_id, sender_id, client_id, content, rendered_content from messages where id = $1
     returning id`,
    [before],
  );
  const after = await sendDirect(realm.admin, [hamlet]);
  await follow(before);
  await slow.query("commit");
  await slow.end();
  const between = Number(rows[0]?.id);

  expect(await missedIn(realm)).toEqual([before, after].map((id) => [hamlet.id, id]));
  await follow(before);
  expect(await missedIn(realm)).toEqual([before, between, after].map((id) => [hamlet.id, id]));
});

test("processed messages are stored as few ranges, and only where a message may still appear", async () => {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet");
  const last = await sendDirect(realm.admin, [hamlet]);
  await follow(last);
  const { settled, seen } = await node.ctx.db.selectFrom("notification_progress").selectAll().executeTakeFirstOrThrow();
  expect([settled, seen]).toEqual([last, "{}"]);
});

test("a worker that crashes halfway leaves everything to the next", async () => {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet");
  const id = await sendDirect(realm.admin, [hamlet]);
  await sql`alter table pushes rename to pushes_away`.execute(node.ctx.db);
  const browser = new TestBrowser(await PushService.start());
  success(await hamlet.call(addWebPushSubscription, browser.subscription));
  await expect(follow()).rejects.toThrow("pushes");
  expect(await missedIn(realm)).toEqual([]);
  await sql`alter table pushes_away rename to pushes`.execute(node.ctx.db);

  await follow();
  expect(await missedIn(realm)).toEqual([[hamlet.id, id]]);
});

interface PlanNode {
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** How many subscriptions are read to find a message's recipients. */
async function subscribersLookedAt(realm: TestRealm, channelId: number, ids: number[]): Promise<number> {
  const messages = ids.map((id) => ({ id, realm_id: realm.id, conversation_id: channelId }));
  const { rows } = await sql<{ "QUERY PLAN": { Plan: PlanNode }[] }>`
    explain (analyze, format json) ${candidatesFor(messages)}`.execute(node.ctx.db);
  const plan = rows[0]?.["QUERY PLAN"][0];
  if (!plan) throw new Error("no plan");
  return nodesOf(plan.Plan)
    .filter((one) => one["Relation Name"] === "subscriptions")
    .map((one) => ((one["Actual Rows"] ?? 0) + (one["Rows Removed by Filter"] ?? 0)) * (one["Actual Loops"] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}

test("the cost of a large channel depends only on subscribers with notifications", async () => {
  const realm = await newRealm([node]);
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([realm.admin, hamlet, ophelia], "everybody");
  const { db } = node.ctx;
  await sql`
    insert into users (realm_id, delivery_email, full_name)
    select ${realm.id}, 'user' || n || '@' || ${realm.host}, 'User ' || n from generate_series(1, 10000) n`.execute(db);
  await sql`
    insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select id, ${channel.id}, ${realm.id}, '{[1,)}', '#76ce90' from users
    where realm_id = ${realm.id} and not is_bot on conflict do nothing`.execute(db);
  await sql`analyze users, subscriptions`.execute(db);
  success(await hamlet.call(updateSettings, { enable_stream_email_notifications: true }));
  success(await ophelia.call(updateSettings, { enable_stream_push_notifications: true }));
  let statements = 0;
  const url = node.ctx.config.databaseUrl;
  const counted = connect({ url, connections: 1, name: "test", onStatement: () => statements++ });
  onTestFinished(() => counted.destroy());
  const cost = async (messages: number) => {
    const ids: number[] = [];
    for (let n = 0; n < messages; n++) ids.push(await sendToChannel(realm.admin, channel));
    const before = statements;
    await followBatch({ ...node.ctx, db: counted }, 0);
    return { ids, statements: statements - before };
  };

  const [one, many] = [await cost(1), await cost(20)];
  expect(many.statements).toBe(one.statements);
  expect(await subscribersLookedAt(realm, channel.id, many.ids)).toBeLessThan(50);
  expect(await missedIn(realm)).toEqual([...one.ids, ...many.ids].map((id) => [hamlet.id, id]));
});

test("a message to everybody notifies all who have not turned that off, in pages", async () => {
  const realm = await newRealm([node]);
  const channel = await channelOf([realm.admin], "everybody");
  const { db } = node.ctx;
  await sql`
    insert into users (realm_id, delivery_email, full_name, settings)
    select ${realm.id}, 'user' || n || '@' || ${realm.host}, 'User ' || n,
      case when n % 2 = 0 then '{"wildcard_mentions_notify": false}'::jsonb else '{}' end
    from generate_series(1, 5200) n`.execute(db);
  await sql`
    insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select id, ${channel.id}, ${realm.id}, '{[1,)}', '#76ce90' from users
    where realm_id = ${realm.id} and not is_bot on conflict do nothing`.execute(db);
  await sendToChannel(realm.admin, channel, { content: "@**all** to the ramparts" });
  await follow();
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer from missed_messages where realm_id = ${realm.id}`.execute(db);
  expect(rows[0]?.count).toBe(2600);
});

test("the welcome message causes no notification", async () => {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet");
  success(await hamlet.call(addApnsToken, { token: "ab", appid: "app" }));
  const notice = (from: "welcome-bot" | "notification-bot") =>
    transaction(node.ctx.db, "test", async (tx) =>
      sendNotice(tx, node.ctx, { id: realm.id, host: realm.host }, from, { userIds: [hamlet.id] }, "Hello"),
    );
  await notice("welcome-bot");
  const id = await notice("notification-bot");
  await follow();
  expect(await missedIn(realm)).toEqual([[hamlet.id, id]]);
});
