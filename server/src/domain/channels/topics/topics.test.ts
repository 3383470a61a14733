import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { getTopics } from "@skein/api/topics.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { topicsQuery } from "./queries.ts";

const topicsOf = async (user: TestUser, channel: TestChannel, allow_empty_topic_name = true) =>
  success(await user.call(getTopics, { stream_id: channel.id, allow_empty_topic_name })).topics;

const join = async (user: TestUser, channel: TestChannel, people: TestUser[]) =>
  success(
    await user.call(subscribe, {
      subscriptions: [{ name: channel.name }],
      principals: people.map((person) => person.id),
    }),
  );

// spec 4.20: stream_id, allow_empty_topic_name, topics, name, max_id
test("topics are listed with their newest message, the most recent first", async () => {
  const realm = await newRealm();
  const [hamlet, member] = [await realm.user("hamlet"), await realm.user("member")];
  const channel = await channelOf([hamlet], "court");
  expect(await topicsOf(member, channel)).toEqual([]);

  const old = await sendToChannel(hamlet, channel, { topic: "Older" });
  const empty = await sendToChannel(hamlet, channel, { topic: "" });
  await sendToChannel(hamlet, channel, { topic: "newer" });
  const newest = await sendToChannel(hamlet, channel, { topic: "NEWER" });

  const expected = (name: string) => [
    { name: "newer", max_id: newest },
    { name, max_id: empty },
    { name: "Older", max_id: old },
  ];
  expect(await topicsOf(member, channel)).toEqual(expected(""));
  expect(await topicsOf(member, channel, false)).toEqual(expected("general chat"));
});

// spec 4.20: topics, error "Invalid channel ID"
test("with protected history only messages received in each period of subscription count", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const bot = await realm.user("bot");
  await sql`update users set is_bot = true, bot_type = 1, bot_owner_id = ${hamlet.id} where id = ${bot.id}`.execute(
    realm.ctx.db,
  );
  const channel = await channelOf([hamlet], "closet", { isPrivate: true, hasSharedHistory: false });
  await sendToChannel(hamlet, channel, { topic: "early" });
  await join(hamlet, channel, [friend]);
  const first = await sendToChannel(hamlet, channel, { topic: "first visit" });
  success(await friend.call(unsubscribe, { subscriptions: ["closet"] }));
  await sendToChannel(hamlet, channel, { topic: "first visit" });
  await sendToChannel(hamlet, channel, { topic: "between" });
  expect(await friend.call(getTopics, { stream_id: channel.id })).toEqual({
    result: "error",
    msg: "Invalid channel ID",
    code: "BAD_REQUEST",
  });
  await join(hamlet, channel, [friend, bot]);
  const last = await sendToChannel(hamlet, channel, { topic: "second visit" });

  expect(await topicsOf(friend, channel)).toEqual([
    { name: "second visit", max_id: last },
    { name: "first visit", max_id: first },
  ]);
  expect(await topicsOf(bot, channel)).toEqual([{ name: "second visit", max_id: last }]);
  expect((await topicsOf(hamlet, channel)).map(({ name }) => name)).toEqual([
    "second visit",
    "between",
    "first visit",
    "early",
  ]);
});

// spec 4.20: error "Invalid channel ID"
test("an unreadable channel gives the same error as a nonexistent one", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  const [hamlet, stranger, guest] = [
    await realm.user("hamlet"),
    await realm.user("stranger"),
    await realm.user("guest", { role: 600 }),
  ];
  const closet = await channelOf([hamlet], "closet", { isPrivate: true });
  const court = await channelOf([hamlet], "court");
  const refusal = { result: "error", msg: "Invalid channel ID", code: "BAD_REQUEST" };

  for (const [user, id] of [
    [stranger, closet.id],
    [realm.admin, closet.id],
    [guest, court.id],
    [other.admin, court.id],
    [hamlet, 999_999_999],
  ] as const)
    expect(await user.call(getTopics, { stream_id: id })).toEqual(refusal);
});

interface PlanNode {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

/** How many rows of `messages` an executed plan has touched. */
const messagesRead = (node: PlanNode): number =>
  (node["Relation Name"] === "messages"
    ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
    : 0) + (node.Plans ?? []).reduce((sum, inner) => sum + messagesRead(inner), 0);

test.for([true, false])(
  "listing the topics of a hundred thousand messages reads one message per topic (shared history: %s)",
  async (hasSharedHistory) => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const place = await channelOf([hamlet], "court", { isPrivate: true, hasSharedHistory });
    await sendToChannel(hamlet, place, { topic: "small" });
    await sendToChannel(hamlet, place, { topic: "large" });
    await sql`
      insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
      select m.realm_id, m.conversation_id, m.topic_id, m.sender_id, m.client_id, 'x', '<p>x</p>'
      from (select m.* from messages m join topics t on t.id = m.topic_id
        where m.conversation_id = ${place.id} and t.name = 'large' limit 1) m, generate_series(1, 100000)`.execute(
      realm.ctx.db,
    );
    const { db } = realm.ctx;
    await sql`analyze messages, topics, subscriptions`.execute(db);
    const channel = await db.selectFrom("channels").selectAll().where("id", "=", place.id).executeTakeFirstOrThrow();

    const { rows } = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>`
      explain (analyze, format json) ${topicsQuery(hamlet, channel)}`.execute(db);

    expect(messagesRead(rows[0]?.["QUERY PLAN"][0].Plan ?? never())).toBeLessThanOrEqual(4);
    expect((await topicsOf(hamlet, place)).map(({ name }) => name)).toEqual(["large", "small"]);
  },
);

function never(): never {
  throw new Error("an explanation has a plan");
}
