import { getMessages, matchNarrow } from "@skein/api/fetch-messages.ts";
import { updateMessageFlags, updateMessageFlagsForNarrow } from "@skein/api/flags.ts";
import type { Narrow } from "@skein/api/narrow.ts";
import { updateSubscriptionSettings } from "@skein/api/subscriptions.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";

/** The fixture: who wrote what where. */
let hamlet: TestUser, ophelia: TestUser, horatio: TestUser, reader: TestUser;
let castle: TestChannel, garden: TestChannel;
const ids: Record<string, number> = {};
let others: Set<number>;

beforeAll(async () => {
  const realm = await newRealm();
  const people = ["hamlet", "ophelia", "horatio", "reader"].map((name) => realm.user(name));
  [hamlet, ophelia, horatio, reader] = (await Promise.all(people)) as [TestUser, TestUser, TestUser, TestUser]; // four
  castle = await channelOf([hamlet, ophelia, reader], "Castle");
  garden = await channelOf([hamlet, ophelia, reader], "Garden");
  const outside = await channelOf([hamlet], "Outside");
  const keep = async (name: string, id: Promise<number>) => (ids[name] = await id);
  await keep("ghost", sendToChannel(hamlet, castle, { topic: "Ghosts", content: "who is there" }));
  await keep("link", sendToChannel(ophelia, castle, { topic: "ghosts", content: "see https://example.com" }));
  await keep("flowers", sendToChannel(ophelia, garden, { topic: "✔ flowers", content: "rosemary" }));
  await keep("all", sendToChannel(hamlet, garden, { topic: "", content: "@**all** come" }));
  await keep("named", sendToChannel(hamlet, garden, { topic: "flowers", content: `@**reader** look` }));
  await keep("outside", sendToChannel(hamlet, outside, { topic: "ghosts", content: "nobody hears" }));
  await keep("toReader", sendDirect(hamlet, [reader], { content: "psst" }));
  await keep("group", sendDirect(hamlet, [reader, ophelia], { content: "both of you" }));
  await keep("own", sendDirect(reader, [reader], { content: "a note" }));
  await keep("elsewhere", sendDirect(hamlet, [ophelia], { content: "not for the reader" }));
  const starred = [ids["link"] ?? 0, ids["outside"] ?? 0];
  success(await reader.call(updateMessageFlags, { messages: starred, op: "add", flag: "starred" }));
  success(await reader.call(updateMessageFlags, { messages: [ids["ghost"] ?? 0], op: "add", flag: "read" }));
  success(await reader.call(updateUserTopic, { stream_id: garden.id, topic: "flowers", visibility_policy: 3 }));
  success(await reader.call(updateUserTopic, { stream_id: castle.id, topic: "ghosts", visibility_policy: 1 }));
  await sql`update message_flags set has_alert_word = true where user_id = ${reader.id} and message_id = ${ids["named"]}`.execute(
    realm.ctx.db,
  );
  await sql`insert into reactions (realm_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
    values (${realm.id}, ${ids["flowers"]}, ${hamlet.id}, 'unicode_emoji', '1f44d', '+1')`.execute(realm.ctx.db);
  // Messages of the server's own bots are not part of this.
  const known = new Set(Object.values(ids));
  const all = success(await reader.call(getMessages, { anchor: "newest", num_before: 500 })).messages;
  others = new Set(all.map(({ id }) => id).filter((id) => !known.has(id)));
});

async function namesIn(narrow: Narrow): Promise<string[]> {
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const page = (range: object) => reader.call(getMessages, { narrow, ...range });
  const backwards = success(await page({ anchor: "newest", num_before: 500 })).messages;
  const forwards = success(await page({ anchor: "oldest", num_after: 500 })).messages;
  expect(forwards.map(({ id }) => id)).toEqual(backwards.map(({ id }) => id));
  return backwards.filter(({ id }) => !others.has(id)).map(({ id }) => names.get(id) ?? String(id));
}

const term = (operator: string, operand: string | number | number[], negated = false) => ({
  operator,
  operand,
  negated,
});
const received = ["ghost", "link", "flowers", "all", "named", "toReader", "group", "own"];

const cases: [string, () => Narrow, string[]][] = [
  ["nothing at all", () => [], received],
  ["a channel by name, case-insensitively", () => [["channel", "castle"]], ["ghost", "link"]],
  ["a channel by id", () => [term("stream", garden.id)], ["flowers", "all", "named"]],
  ["a channel the reader is not subscribed to", () => [["channel", "outside"]], ["outside"]],
  ["all but a channel", () => [term("channel", castle.id, true)], received.slice(2)],
  ["public channels", () => [["channels", "public"]], ["ghost", "link", "flowers", "all", "named", "outside"]],
  ["web-public channels", () => [["channels", "web-public"]], []],
  ["no public channels", () => [term("channels", "public", true)], ["toReader", "group", "own"]],
  [
    "a topic in a channel",
    () => [
      ["channel", "castle"],
      ["topic", "GHOSTS"],
    ],
    ["ghost", "link"],
  ],
  ["a topic anywhere", () => [["topic", "ghosts"]], ["ghost", "link"]],
  [
    "a topic in all public channels",
    () => [
      ["channels", "public"],
      ["topic", "ghosts"],
    ],
    ["ghost", "link", "outside"],
  ],
  ["the empty topic, by its display name", () => [["topic", "general chat"]], ["all"]],
  [
    "the empty topic",
    () => [
      ["channel", "garden"],
      ["topic", ""],
    ],
    ["all"],
  ],
  [
    "a topic that does not exist",
    () => [
      ["channel", "garden"],
      ["topic", "weeds"],
    ],
    [],
  ],
  ["all but a topic", () => [["channel", "castle"], term("topic", "ghosts", true)], []],
  ["a conversation by ids", () => [term("dm", [hamlet.id])], ["toReader"]],
  ["a conversation by ids, including the reader", () => [term("dm", [hamlet.id, reader.id])], ["toReader"]],
  ["a conversation by addresses", () => [["pm-with", `${hamlet.email},${ophelia.email}`]], ["group"]],
  ["the reader's conversation with themselves", () => [term("dm", [reader.id])], ["own"]],
  ["a conversation that never began", () => [term("dm", [horatio.id])], []],
  ["a conversation without people", () => [term("dm", [])], []],
  ["not a conversation", () => [["is", "dm"], term("dm", [hamlet.id], true)], ["group", "own"]],
  ["direct messages with a user", () => [term("dm-including", ophelia.id)], ["group"]],
  ["direct messages that include the reader", () => [term("dm-including", reader.id)], ["toReader", "group", "own"]],
  ["group conversations with a user", () => [["group-pm-with", hamlet.email]], ["group"]],
  ["a sender by id", () => [term("sender", ophelia.id)], ["link", "flowers"]],
  [
    "a sender by address",
    () => [["sender", hamlet.email.toUpperCase()]],
    ["ghost", "all", "named", "toReader", "group"],
  ],
  ["a sender in a channel", () => [["channel", "castle"], term("sender", ophelia.id)], ["link"]],
  ["not a sender", () => [["channel", "castle"], term("sender", ophelia.id, true)], ["ghost"]],
  ["one message", () => [term("id", ids["all"] ?? 0)], ["all"]],
  ["one message that the reader did not receive", () => [term("id", ids["elsewhere"] ?? 0)], []],
  ["the current topic of a message", () => [term("with", ids["link"] ?? 0)], ["ghost", "link"]],
  ["the conversation of a message", () => [["is", "unread"], term("with", ids["toReader"] ?? 0)], ["toReader"]],
  [
    "an unreadable message, with its conversation",
    () => [["channel", "castle"], ["topic", "ghosts"], term("with", 2 ** 40)],
    ["ghost", "link"],
  ],
  [
    "near a message",
    () => [
      ["channel", "castle"],
      ["near", "5"],
    ],
    ["ghost", "link"],
  ],
  ["links", () => [["has", "link"]], ["link"]],
  ["no links", () => [["channel", "castle"], term("has", "link", true)], ["ghost"]],
  ["reactions", () => [["has", "reaction"]], ["flowers"]],
  ["images", () => [["has", "image"]], []],
  ["attachments", () => [["has", "attachment"]], []],
  ["direct messages", () => [["is", "private"]], ["toReader", "group", "own"]],
  ["no direct messages", () => [term("is", "dm", true)], ["ghost", "link", "flowers", "all", "named"]],
  ["starred, sent to the reader or not", () => [["is", "starred"]], ["link", "outside"]],
  ["unread", () => [["is", "unread"]], received.slice(1)],
  [
    "unread in a channel",
    () => [
      ["channel", "castle"],
      ["is", "unread"],
    ],
    ["link"],
  ],
  [
    "unread in a topic",
    () => [
      ["channel", "castle"],
      ["topic", "ghosts"],
      ["is", "unread"],
    ],
    ["link"],
  ],
  ["unread in a conversation", () => [term("dm", [hamlet.id]), ["is", "unread"]], ["toReader"]],
  ["read", () => [term("is", "unread", true)], ["ghost"]],
  ["mentions, of the reader and of all", () => [["is", "mentioned"]], ["all", "named"]],
  ["alert words", () => [["is", "alerted"]], ["named"]],
  ["followed topics", () => [["is", "followed"]], ["named"]],
  ["muted topics", () => [["is", "muted"]], ["ghost", "link"]],
  [
    "unread messages in muted topics",
    () => [
      ["is", "muted"],
      ["is", "unread"],
    ],
    ["link"],
  ],
  ["no muted topics", () => [term("is", "muted", true)], received.slice(2)],
  ["resolved topics", () => [["is", "resolved"]], ["flowers"]],
  ["everything that is not muted", () => [["in", "home"]], received.slice(2)],
  ["everything", () => [["in", "all"]], received],
];

test.each(cases)("the narrow of %s", async (_, narrow, expected) => {
  expect(await namesIn(narrow())).toEqual(expected);
});

test("is:muted matches muted topics, and muted channels except for unmuted or followed topics", async () => {
  const realm = await newRealm();
  const [writer, person] = [await realm.user("writer"), await realm.user("person")];
  const [loud, quiet] = [await channelOf([writer, person], "loud"), await channelOf([writer, person], "quiet")];
  const choose = async (channel: TestChannel, topic: string, visibility_policy: 1 | 2 | 3) =>
    success(await person.call(updateUserTopic, { stream_id: channel.id, topic, visibility_policy }));
  await choose(loud, "muted", 1);
  await choose(quiet, "muted too", 1);
  await choose(quiet, "unmuted", 2);
  await choose(quiet, "followed", 3);
  const mute = [{ stream_id: quiet.id, property: "is_muted", value: true }] as const;
  success(await person.call(updateSubscriptionSettings, { subscription_data: [...mute] }));
  const heard = [await sendToChannel(writer, loud), await sendDirect(writer, [person])];
  for (const topic of ["unmuted", "followed"]) heard.push(await sendToChannel(writer, quiet, { topic }));
  const muted = [await sendToChannel(writer, loud, { topic: "muted" })];
  for (const topic of ["muted too", "plain"]) muted.push(await sendToChannel(writer, quiet, { topic }));

  const narrow: Narrow = [["is", "muted"]];
  const idsOf = async (given: Narrow, num_before = 500) =>
    success(await person.call(getMessages, { anchor: "newest", num_before, narrow: given })).messages.map(
      ({ id }) => id,
    );
  expect(await idsOf(narrow)).toEqual(muted);
  expect(await idsOf(narrow, 2)).toEqual(muted.slice(1));
  expect(await idsOf([...narrow, term("channel", quiet.id)])).toEqual(muted.slice(1));
  expect(await idsOf([term("is", "muted", true)])).toEqual(expect.arrayContaining(heard));
  const matching = success(await person.call(matchNarrow, { msg_ids: [...heard, ...muted], narrow }));
  expect(Object.keys(matching.messages).map(Number)).toEqual(muted);
  const marked = { anchor: "oldest", num_before: 0, num_after: 100, narrow, op: "add", flag: "read" } as const;
  expect(success(await person.call(updateMessageFlagsForNarrow, marked)).updated_count).toBe(muted.length);
  expect(
    await person.call(getMessages, { anchor: "newest", num_before: 1, narrow: [...narrow, ["is", "dm"]] }),
  ).toMatchObject({ code: "BAD_NARROW" });
});

const refusals: [string, Narrow, string][] = [
  ["an unknown address", [["sender", "nobody@example.com"]], "unknown user in sender"],
  ["an unknown user id", [term("dm", [2 ** 40])], "unknown user in dm"],
  ["an unknown channel", [term("channel", 2 ** 40)], "unknown channel"],
  ["an unreadable message", [["with", "1099511627776"]], "Invalid 'with' operator"],
];

test.each(refusals)("a narrow that names %s is refused", async (_, narrow, desc) => {
  expect(await reader.call(getMessages, { anchor: "newest", num_before: 1, narrow })).toEqual({
    result: "error",
    code: "BAD_NARROW",
    desc,
    msg: `Invalid narrow operator: ${desc}`,
  });
});
