import { addAlertWords, getAlertWords, removeAlertWords } from "@skein/api/alert-words.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";
import { channelOf, flagsFor, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";

const add = async (user: TestUser, ...alert_words: string[]) =>
  success(await user.call(addAlertWords, { alert_words })).alert_words;
const remove = async (user: TestUser, ...alert_words: string[]) =>
  success(await user.call(removeAlertWords, { alert_words })).alert_words;

// spec 6: alert_words
test("words are added and removed regardless of case, each once, and only changes are sent to the user's clients", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const queue = await hamlet.register(["alert_words", "message"]);
  const other = await ophelia.register(["alert_words", "message"]);

  expect(await add(hamlet, " Ghost ", "something rotten", "")).toEqual(["Ghost", "something rotten"]);
  expect(await add(hamlet, "ghost", "SOMETHING ROTTEN")).toEqual(["Ghost", "something rotten"]);
  expect(await remove(hamlet, "GHOST", "unknown")).toEqual(["something rotten"]);
  expect(await remove(hamlet, "GHOST")).toEqual(["something rotten"]);

  expect(success(await hamlet.call(getAlertWords, {})).alert_words).toEqual(["something rotten"]);
  expect(success(await ophelia.call(getAlertWords, {})).alert_words).toEqual([]);
  await sendDirect(hamlet, [hamlet]);
  expect([await queue.next(), await queue.next(), (await queue.next()).type]).toEqual([
    { type: "alert_words", alert_words: ["Ghost", "something rotten"] },
    { type: "alert_words", alert_words: ["something rotten"] },
    "message",
  ]);
  await sendDirect(ophelia, [ophelia]);
  expect((await other.next()).type).toBe("message");
});

test("a client that follows the events knows all words", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await add(hamlet, "one");
  const queue = await hamlet.register(["alert_words", "message"], ["alert_words"]);

  await add(hamlet, "two");
  await remove(hamlet, "one");

  expect((await queue.followedState(await sendDirect(hamlet, [hamlet]))).alert_words).toEqual(["two"]);
});

test.each([
  ['["x", 5]', "alert_words[1] is not a string"],
  ["x", "alert_words is not valid JSON"],
  [JSON.stringify(["ok", "x".repeat(101)]), "alert_words[1] is too long (limit: 100 characters)"],
  [JSON.stringify(Array.from({ length: 1001 }, String)), "alert_words is too long (limit: 1000 elements)"],
  ['["nul\\u0000"]', "Null bytes are not allowed"],
])("refused: %#", async (alert_words, msg) => {
  const realm = await newRealm();

  expect(await realm.admin.request("POST", "/users/me/alert_words", { alert_words })).toEqual({
    result: "error",
    msg,
    code: "BAD_REQUEST",
  });
});

test("nobody can have more than a thousand words", async () => {
  const realm = await newRealm();
  await add(realm.admin, ...Array.from({ length: 1000 }, (_, n) => `word ${n}`));

  expect(await realm.admin.call(addAlertWords, { alert_words: ["one more"] })).toMatchObject({
    msg: "You cannot have more than 1000 alert words.",
  });
  expect(success(await realm.admin.call(getAlertWords, {})).alert_words).toHaveLength(1000);
});

test("words added concurrently on two nodes are neither lost nor duplicated", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");

  await Promise.all(
    [0, 1].map((node) => hamlet.on(node).call(addAlertWords, { alert_words: ["same", `own ${node}`] })),
  );

  expect(success(await hamlet.call(getAlertWords, {})).alert_words.toSorted()).toEqual(["own 0", "own 1", "same"]);
});

async function withChannel(): Promise<{ realm: TestRealm; hamlet: TestUser; ophelia: TestUser; channel: TestChannel }> {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  return { realm, hamlet, ophelia, channel: await channelOf([hamlet, ophelia], "elsinore") };
}

// spec 3.2: has_alert_word
test("a message with an alert word is flagged for the recipients it alerts, in the event and afterwards", async () => {
  const { realm, hamlet, ophelia, channel } = await withChannel();
  const outsider = await realm.user("outsider");
  await sendToChannel(hamlet, channel);
  for (const user of [ophelia, outsider, hamlet]) await add(user, "Ghost");
  const queue = await ophelia.register(["message"]);
  const everything = await outsider.register(["message"], [], { all_public_streams: true });

  const id = await sendToChannel(hamlet, channel, { content: "a ghost, in **arms**" });
  const direct = await sendDirect(hamlet, [ophelia], { content: "ghost?" });
  const without = await sendToChannel(hamlet, channel, { content: "ghosts" });

  expect([await queue.next(), await queue.next(), await queue.next()]).toMatchObject([
    { message: { id }, flags: ["has_alert_word"] },
    { message: { id: direct }, flags: ["has_alert_word"] },
    { message: { id: without }, flags: [] },
  ]);
  expect(await everything.next()).toMatchObject({ message: { id }, flags: [] });
  expect(await flagsFor(ophelia, id)).toEqual(["has_alert_word"]);
  expect(await flagsFor(ophelia, direct)).toEqual(["has_alert_word"]);
  expect(await flagsFor(ophelia, without)).toEqual([]);
  expect(await flagsFor(hamlet, id)).toEqual(["has_alert_word"]);
  expect(await flagsFor(outsider, id)).toEqual(["read", "historical"]);
});

test("an alert word and a mention are two flags of one message", async () => {
  const { hamlet, ophelia, channel } = await withChannel();
  await add(ophelia, "nunnery");

  const id = await sendToChannel(hamlet, channel, { content: `@**${ophelia.fullName}** to a nunnery` });

  expect(await flagsFor(ophelia, id)).toEqual(["mentioned", "has_alert_word"]);
});

test("a word applies to the very next message on every node, and no longer once it is removed", async () => {
  const { hamlet, ophelia, channel } = await withChannel();
  await sendToChannel(hamlet, channel);
  const sendOn = async (node: number, content: string) => {
    const to = { type: "channel", to: channel.id, topic: "talk", content } as const;
    return success(await hamlet.on(node).call(sendMessage, to)).id;
  };

  for (let round = 0; round < 10; round++) {
    const word = `word${round}`;
    success(await ophelia.on(0).call(addAlertWords, { alert_words: [word] }));
    expect(await flagsFor(ophelia, await sendOn(1, word))).toEqual(["has_alert_word"]);
    success(await ophelia.on(1).call(removeAlertWords, { alert_words: [word] }));
    expect(await flagsFor(ophelia, await sendOn(0, word))).toEqual([]);
  }
});

test("the words of another organization alert nobody", async () => {
  const { hamlet, ophelia, channel } = await withChannel();
  const elsewhere = await newRealm();
  await add(elsewhere.admin, "ghost");

  expect(await flagsFor(ophelia, await sendToChannel(hamlet, channel, { content: "ghost" }))).toEqual([]);
});

test("alert words cost a message without them no query", async () => {
  const { realm, hamlet, ophelia, channel } = await withChannel();
  const send = () =>
    hamlet.on(1).call(sendMessage, { type: "channel", to: channel.id, topic: "talk", content: "words" });
  success(await send());
  const before = await statementsOf(realm, send);

  await add(ophelia, "ghost");

  expect(await statementsOf(realm, send)).toBe(before);
});
