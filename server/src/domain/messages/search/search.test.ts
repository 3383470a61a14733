import { getMessages, matchNarrow } from "@skein/api/fetch-messages.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import { untilIndexed } from "../../../../test/until-indexed.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { reindexMessage } from "./index-messages.ts";

async function find(user: TestUser, words: string, narrow: { operator: string; operand: string | number }[] = []) {
  const terms = [...narrow, { operator: "search", operand: words }];
  return success(await user.call(getMessages, { anchor: "newest", num_before: 100, narrow: terms })).messages;
}

const idsOf = (messages: { id: number }[]): number[] => messages.map(({ id }) => id);

// They wait for the worker together.
test.concurrent("a message is found by its words at once, and again when it is indexed", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const id = await sendToChannel(hamlet, channel, { content: "Neither a borrower nor a **lender** be" });
  await sendToChannel(hamlet, channel, { content: "the rest is silence" });

  expect(idsOf(await find(ophelia, "lenders"))).toEqual([id]);
  await untilIndexed(realm, id);
  expect(idsOf(await find(ophelia, "BORROWED lender"))).toEqual([id]);
  expect(await find(ophelia, "lender silence")).toEqual([]);
  expect(await find(ophelia, "neither")).toHaveLength(1);
});

test.concurrent("words are found in the topic, in the content, and spread over both", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const id = await sendToChannel(realm.admin, channel, { topic: "garden party", content: "bring umbrellas" });
  const other = await sendToChannel(realm.admin, channel, { topic: "kitchen", content: "umbrellas again" });

  for (const upTo of [0, other]) {
    await untilIndexed(realm, upTo);
    expect(idsOf(await find(realm.admin, "umbrella"))).toEqual([id, other]);
    expect(idsOf(await find(realm.admin, "gardens"))).toEqual([id]);
    expect(idsOf(await find(realm.admin, "garden umbrella"))).toEqual([id]);
  }
  const [topic] = await sql<{ id: number }>`update topics set name = 'cellar' where name = 'kitchen' returning id`
    .execute(realm.ctx.db)
    .then(({ rows }) => rows);
  expect(topic).toBeDefined();
  expect(idsOf(await find(realm.admin, "cellar umbrellas"))).toEqual([other]);
  expect(await find(realm.admin, "kitchen")).toEqual([]);
});

test.concurrent("a quoted part must occur literally", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const together = await sendToChannel(realm.admin, channel, { content: "a very big red_house stands" });
  await sendToChannel(realm.admin, channel, { content: "red is a very big house" });
  await sendToChannel(realm.admin, channel, { content: "a very big redXhouse" });

  expect(idsOf(await find(realm.admin, '"very big red"'))).toEqual([together]);
  expect(idsOf(await find(realm.admin, '"big red_house" very'))).toEqual([together]);
  expect(await find(realm.admin, '"big  red"')).toEqual([]);
});

test.concurrent("the words found are marked in text, never inside a tag, and the topic is escaped", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const id = await sendToChannel(realm.admin, channel, {
    topic: "span & <highlight>",
    content: "a span, **spans** and [spanning](https://example.com/span?class=span) `<span>`",
  });

  const [found] = await find(realm.admin, "span");
  const mark = (word: string) => `<span class="highlight">${word}</span>`;
  expect(found).toMatchObject({ id, match_subject: `${mark("span")} &amp; &lt;highlight&gt;` });
  expect(found?.match_content).toBe(
    `<p>a ${mark("span")}, <strong>${mark("spans")}</strong> and ` +
      `<a href="https://example.com/span?class=span">${mark("spanning")}</a> <code>&lt;${mark("span")}&gt;</code></p>`,
  );
  expect(found?.content).not.toContain("highlight");
  const { messages } = success(
    await realm.admin.call(matchNarrow, { msg_ids: [id], narrow: [{ operator: "search", operand: "span" }] }),
  );
  expect(messages[String(id)]).toEqual({ match_content: found?.match_content, match_subject: found?.match_subject });
});

test.concurrent("only readable messages are found, and only received ones unless a channel is named", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const open = await channelOf([hamlet], "open");
  const closed = await channelOf([hamlet], "closed", { isPrivate: true });
  const word = "rosencrantz";
  const shown = await sendToChannel(hamlet, open, { content: word });
  await sendToChannel(hamlet, closed, { content: word });
  await sendDirect(hamlet, [realm.admin], { content: word });
  const told = await sendDirect(hamlet, [ophelia], { content: word });
  await sendToChannel(elsewhere.admin, await channelOf([elsewhere.admin], "open"), { content: word });

  for (const upTo of [0, told]) {
    await untilIndexed(realm, upTo);
    expect(idsOf(await find(ophelia, word))).toEqual([told]);
    expect(idsOf(await find(ophelia, word, [{ operator: "channel", operand: open.id }]))).toEqual([shown]);
    expect(idsOf(await find(ophelia, word, [{ operator: "channels", operand: "public" }]))).toEqual([shown]);
  }
});

test.concurrent("the organization's language decides which words are the same", async () => {
  const realm = await newRealm();
  await sql`update realms set search_language = 'german' where id = ${realm.id}`.execute(realm.ctx.db);
  const channel = await channelOf([realm.admin], "helsingör");
  const id = await sendToChannel(realm.admin, channel, { content: "viele Häuser" });

  expect(idsOf(await find(realm.admin, "haus"))).toEqual([id]);
  await untilIndexed(realm, id);
  expect(idsOf(await find(realm.admin, "hauses"))).toEqual([id]);
});

test.concurrent("an edited message is found by its new content", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const id = await sendToChannel(realm.admin, channel, { content: "yorick" });
  await untilIndexed(realm, id);

  await transaction(realm.ctx.db, "edit for a test", async (tx) => {
    await sql`update messages set content = 'osric', rendered_content = '<p>osric</p>' where id = ${id}`.execute(tx);
    await reindexMessage(tx, id);
  });

  expect(idsOf(await find(realm.admin, "osric"))).toEqual([id]);
  expect(await find(realm.admin, "yorick")).toEqual([]);
});

test.concurrent("an empty search is refused, and one with only stop words finds nothing", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  await sendToChannel(realm.admin, channel, { content: "to be or not to be" });
  const ask = (operand: string) =>
    realm.admin.call(getMessages, { anchor: "newest", num_before: 5, narrow: [{ operator: "search", operand }] });

  expect(await ask("  ")).toMatchObject({ code: "BAD_NARROW" });
  for (const words of ["to be", "'; drop table", "a:* & !b | (", "\\"])
    expect(await ask(words)).toMatchObject({ messages: [] });
});
