/** Plans for a large organization: fetching never reads more than what is near the page. */
import { newestAnchor } from "@skein/api/fetch-messages.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { CompiledQuery, sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { newRealm, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { untilIndexed } from "../../../../test/until-indexed.ts";
import { hashSecret } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { queryPage } from "../../../platform/db/connect.ts";
import { unreadMessages, unreadQuery } from "../flags/state.ts";
import { rangeStatement } from "./fetch-page.ts";
import type { Range } from "./fetch-range.ts";
import { newestReceivedQuery } from "../state.ts";

const messages = 200_000;
const channels = 500;
const pageLength = 100;

let realm: TestRealm, writer: TestUser, rare: TestUser, reader: User;
let busy: TestChannel;
/** One of the many. */
let quiet: number;
/** Its topic "about 3" has half of all messages. */
let crowded: number;

beforeAll(async () => {
  realm = await newRealm();
  [writer, rare] = [await realm.user("writer"), await realm.user("rare")];
  const { email, apiKey } = await realm.user("reader");
  reader = await realm.ctx.sessions.find({ email, keyHash: hashSecret(apiKey) });
  busy = await channelOf([writer, rare], "busy");
  await sendToChannel(rare, busy, { content: "a needle" });
  const { db } = realm.ctx;
  // The reader is in many channels; half of all messages are in another one, and those are the newest.
  await sql`
    with conversation as (
      insert into conversations (realm_id) select ${realm.id} from generate_series(1, ${channels}) returning id)
    insert into channels (id, realm_id, name, can_add_subscribers_group_id, can_administer_channel_group_id,
      can_remove_subscribers_group_id, can_send_message_group_id, can_subscribe_group_id, first_message_id)
    select n.id, ${realm.id}, 'many ' || n.id, c.can_add_subscribers_group_id, c.can_administer_channel_group_id,
      c.can_remove_subscribers_group_id, c.can_send_message_group_id, c.can_subscribe_group_id, 1
    from conversation n, channels c where c.id = ${busy.id}`.execute(db);
  await sql`insert into topics (realm_id, channel_id, name)
    select realm_id, id, 'about ' || t from channels, generate_series(1, 3) t where realm_id = ${realm.id}`.execute(db);
  await sql`
    with places as (
      select array_agg(channel_id order by id) as channels, array_agg(id order by id) as topics, count(*) as total
      from topics where realm_id = ${realm.id} and name <> 'talk')
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select ${realm.id}, channels[place], topics[place], ${writer.id}, (select min(id) from clients), 'hay', '<p>hay</p>'
    from places, generate_series(1, ${messages}) n
      cross join lateral (
        select case when n > ${messages / 2} then total else 1 + (n::bigint * 7919) % (total - 3) end as place) chosen
    order by n`.execute(db);
  await sql`insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select ${reader.id}, id, ${realm.id}, '{[0,)}', '#000000' from channels
    where realm_id = ${realm.id} and id <> ${busy.id} order by id limit ${channels - 1}`.execute(db);
  const one = db.selectFrom("channels").select("id").where("realm_id", "=", realm.id).where("id", "<>", busy.id);
  quiet = (await one.executeTakeFirstOrThrow()).id;
  const last = db.selectFrom("messages").select("conversation_id").where("realm_id", "=", realm.id);
  crowded = (await last.orderBy("id", "desc").executeTakeFirstOrThrow()).conversation_id;
  for (const table of ["messages", "topics", "channels", "subscriptions", "message_flags", "message_search"])
    await sql`analyze ${sql.table(table)}`.execute(db);
}, 300_000);

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Scans along all messages from one end: a few rows here can be millions elsewhere. */
const isWholeIndex = (node: PlanNode): boolean =>
  node["Index Name"] === "messages_pkey" && node["Index Cond"] === undefined;

type PlanRow = { "QUERY PLAN": { Plan: PlanNode }[] };

const asPage = (text: string, values: unknown[]) => queryPage<PlanRow>(realm.ctx.db, text, values, false);
const asUsual = async (text: string, values: unknown[]) =>
  (await realm.ctx.db.executeQuery<PlanRow>(CompiledQuery.raw(text, values))).rows;

/** How many messages were read, and which scans went over all of them. */
async function look(statement: CompiledQuery, run = asPage) {
  const [row] = await run(`explain (analyze, format json) ${statement.sql}`, [...statement.parameters]);
  const plan = row?.["QUERY PLAN"][0];
  if (!plan) throw new Error("no plan");
  const onMessages = nodesOf(plan.Plan).filter((node) => node["Relation Name"] === "messages");
  const touched = onMessages.map(
    (node) => ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) * (node["Actual Loops"] ?? 0),
  );
  return {
    touched: touched.reduce((sum, count) => sum + count, 0),
    walks: onMessages.filter((node) => node["Node Type"] === "Seq Scan" || isWholeIndex(node)).length,
  };
}

const newest: Range = { anchor: newestAnchor, before: pageLength, after: 0, isAnchorIn: false };
const unread: Range = { anchor: "first_unread", before: pageLength, after: pageLength, isAnchorIn: true };

const cases: [string, Range, () => Narrow, number][] = [
  ["the combined feed", newest, () => [], 2500],
  ["the combined feed around the first unread message", unread, () => [], 5000],
  ["a channel", newest, () => [{ operator: "channel", operand: busy.id }], 500],
  [
    "a topic",
    newest,
    () => [
      { operator: "channel", operand: quiet },
      { operator: "topic", operand: "about 1" },
    ],
    500,
  ],
  ["a channel with half of all messages", newest, () => [{ operator: "channel", operand: crowded }], 500],
  [
    "a topic with half of all messages",
    newest,
    () => [
      { operator: "channel", operand: crowded },
      { operator: "topic", operand: "about 3" },
    ],
    500,
  ],
  ["a topic anywhere", newest, () => [{ operator: "topic", operand: "about 2" }], 2500],
  ["all public channels", newest, () => [{ operator: "channels", operand: "public" }], 3500],
  ["somebody who wrote once", newest, () => [{ operator: "sender", operand: rare.id }], 10],
  [
    "their words in a channel",
    newest,
    () => [
      { operator: "channel", operand: busy.id },
      { operator: "sender", operand: rare.id },
    ],
    10,
  ],
  // A few rows for each of the reader's channels, where messages that mention everybody would be.
  ["mentions", newest, () => [{ operator: "is", operand: "mentioned" }], 2500],
  ["starred messages", newest, () => [{ operator: "is", operand: "starred" }], 10],
  ["alert words", newest, () => [{ operator: "is", operand: "alerted" }], 10],
  ["direct messages", newest, () => [{ operator: "is", operand: "dm" }], 10],
];

test.each(cases)("%s: no scan of all messages", async (_, range, narrow, maxRows) => {
  const { touched, walks } = await look(await rangeStatement(realm.ctx, reader, narrow(), range));

  expect(walks).toBe(0);
  expect(touched).toBeLessThan(maxRows);
});

test("a search reads what the index returns", { timeout: 300_000 }, async () => {
  const { db } = realm.ctx;
  const newestId = (await db.selectFrom("messages").select("id").orderBy("id", "desc").executeTakeFirstOrThrow()).id;
  await untilIndexed(realm, newestId);
  await sql`analyze message_search`.execute(db);
  const narrow: Narrow = [
    ["channel", "busy"],
    ["search", "needle"],
  ];

  const { touched, walks } = await look(await rangeStatement(realm.ctx, reader, narrow, newest));

  expect(walks).toBe(0);
  // Messages that other tests write meanwhile are not indexed yet.
  expect(touched).toBeLessThan(messages / 10);
});

test("a search for a very common word scans the newest messages only", { timeout: 300_000 }, async () => {
  const narrow: Narrow = [
    ["channels", "public"],
    ["search", "hay"],
  ];
  const own = realm.ctx.db.selectFrom("messages").select("id").where("realm_id", "=", realm.id);
  // Other tests write newer ones.
  const { id: anchor } = await own.orderBy("id", "desc").executeTakeFirstOrThrow();

  const { touched, walks } = await look(await rangeStatement(realm.ctx, reader, narrow, { ...newest, anchor }));

  expect(walks).toBe(0);
  expect(touched).toBeLessThan(messages / 10);
});

test("the newest message a user received is one index step away in each of their channels", async () => {
  const { touched, walks } = await look(newestReceivedQuery(reader).compile(realm.ctx.db), asUsual);

  expect(walks).toBe(0);
  expect(touched).toBeLessThan(4 * channels);
});

test("for a user who never reads, only the newest unread messages are listed", async () => {
  const { count, old_unreads_missing } = await unreadMessages(realm.ctx.db, reader, { empty_topic_name: true }, 1000);

  expect(count).toBe(1000);
  expect(old_unreads_missing).toBe(true);
  const { walks } = await look(unreadQuery(reader, 1000).compile(realm.ctx.db), asUsual);
  expect(walks).toBe(0);
});
