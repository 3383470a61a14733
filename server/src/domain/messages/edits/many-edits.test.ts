/** Messages that were edited as often as possible, or more often than anybody reads. */
import { deleteMessage } from "@skein/api/deletion.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import type { MessageObject } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, messageFor, sendToChannel } from "../../../../test/actions.ts";
import { hashSecret } from "../../../identity/sessions.ts";
import { listSnapshots } from "./snapshots.ts";

const edit = (user: TestUser, message_id: number, content: string) => user.call(updateMessage, { message_id, content });
const tooMany = { result: "error", msg: "This message has been edited too many times.", code: "BAD_REQUEST" };
const longText = (seed: number) =>
  Array.from({ length: 1666 }, (_, n) => `${10_000 + ((n * 7 + seed) % 6000)}`).join(" ");

/** CPU time of this thread in milliseconds, so that other load on the machine does not count. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Text edits, a second apart; the last one a second ago. */
async function addTextEdits({ id: realmId, ctx }: TestRealm, messageIds: number[], texts: string[]): Promise<void> {
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_content, prev_rendered_content)
    select ${realmId}, m.id, m.sender_id, now() - make_interval(secs => ${texts.length} - before.n + 1), before.text,
      '<p>' || before.text || '</p>'
    from messages m, unnest(${texts}::text[]) with ordinality as before (text, n)
    where m.id = any(${messageIds}::bigint[]) order by m.id, before.n`.execute(ctx.db);
}

/** Moves back and forth between two topics. */
async function addMoves({ id: realmId, ctx }: TestRealm, messageId: number, times: number): Promise<void> {
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_topic, topic)
    select ${realmId}, m.id, m.sender_id, now() - make_interval(secs => 1000 + ${times} - n), 'to', 'fro'
    from messages m, generate_series(1, ${times}) n where m.id = ${messageId} order by n`.execute(ctx.db);
}

const textBytes = ({ edit_history = [] }: MessageObject): number =>
  edit_history.reduce(
    (sum, { prev_content = "", prev_rendered_content = "" }) =>
      sum + Buffer.byteLength(prev_content) + Buffer.byteLength(prev_rendered_content),
    0,
  );

test("a text can be edited two hundred times, even concurrently; after that it can still be moved and deleted", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const [id, other] = [await sendToChannel(realm.admin, channel), await sendToChannel(realm.admin, channel)];
  const texts = Array.from({ length: 196 }, (_, n) => String(n));
  await addTextEdits(realm, [id], texts);
  await addMoves(realm, id, 50);

  const answers = await Promise.all(
    texts.slice(0, 8).map((text, n) => realm.admin.on(n).call(updateMessage, { message_id: id, content: text })),
  );

  expect(answers.filter(({ result }) => result === "success")).toHaveLength(4);
  expect(answers.filter(({ result }) => result === "error")).toEqual([tooMany, tooMany, tooMany, tooMany]);
  success(await edit(realm.admin, other, "another"));
  const move = { topic: "elsewhere", propagate_mode: "change_all" } as const;
  success(await realm.admin.call(updateMessage, { message_id: id, ...move }));
  expect((await messageFor(realm.admin, id)).subject).toBe("elsewhere");
  success(await realm.admin.call(deleteMessage, { message_id: id }));
});

test("long texts can be edited less often than short ones", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel);
  await addTextEdits(realm, [id], ["é".repeat(1_249_997)]);

  success(await edit(realm.admin, id, "still below five million bytes"));

  expect(await edit(realm.admin, id, "above")).toEqual(tooMany);
});

test("a page contains every edit, and the earlier texts of the newest ones while they are short", async () => {
  const realm = await newRealm();
  const reader = await realm.user("reader");
  const channel = await channelOf([realm.admin, reader], "court");
  const [often, once] = [await sendToChannel(realm.admin, channel), await sendToChannel(realm.admin, channel)];
  const texts = Array.from({ length: 200 }, (_, n) => longText(n));
  await addMoves(realm, often, 1);
  await addTextEdits(realm, [often], texts);
  await addTextEdits(realm, [once], ["x".repeat(30_000)]);

  const page = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: true } as const;
  const { messages } = success(await reader.call(getMessages, page));

  const [first, second] = messages.filter(({ id }) => id === often || id === once);
  expect(first?.edit_history).toHaveLength(201);
  expect(first?.edit_history?.[0]?.prev_content === texts.at(-1)).toBe(true);
  expect(first?.edit_history?.[1]).toEqual({ user_id: realm.admin.id, timestamp: expect.any(Number) });
  expect(first && textBytes(first)).toBeLessThan(25_000);
  expect(first).toMatchObject({ last_edit_timestamp: expect.any(Number), last_moved_timestamp: expect.any(Number) });
  expect(second).toMatchObject({ last_edit_timestamp: expect.any(Number) });
  expect(second?.edit_history).toEqual([{ user_id: realm.admin.id, timestamp: expect.any(Number) }]);
});

test("a page contains the newest renames of a topic that was renamed a thousand times", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const [id, later] = [await sendToChannel(realm.admin, channel), await sendToChannel(realm.admin, channel)];
  await sql`
    insert into topic_edits (realm_id, topic_id, user_id, edited_at, prev_topic, topic, up_to_id)
    select ${realm.id}, topic_id, sender_id, now() - make_interval(secs => 1000 - n), 'to', 'fro ' || n,
      case when n < 999 then ${id}::bigint else ${later} end
    from messages, generate_series(1, 1000) n where id = ${id} order by n`.execute(realm.ctx.db);

  const topicsOf = async (message: number) =>
    (await messageFor(realm.admin, message)).edit_history?.map(({ topic }) => topic);

  const newest = Array.from({ length: 250 }, (_, n) => `fro ${1000 - n}`);
  expect(await topicsOf(id)).toEqual(newest);
  expect(await topicsOf(later)).toEqual(newest.slice(0, 2));
});

test("a history of two hundred long texts is complete, and other requests are served while it is built", async () => {
  const realm = await newRealm();
  const { email, apiKey } = realm.admin;
  const channel = await channelOf([realm.admin], "court");
  const texts = Array.from({ length: 200 }, (_, n) => longText(n));
  const id = await sendToChannel(realm.admin, channel, { content: longText(200) });
  await addTextEdits(realm, [id], texts);
  const account = await realm.ctx.sessions.find({ email, keyHash: hashSecret(apiKey) });

  const begun = processorTime();
  let [last, longest, isOver] = [begun, 0, false];
  const takeTurn = () => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(takeTurn);
  };
  takeTurn();
  const snapshots = await listSnapshots(realm.ctx.db, account, id, { empty_topic_name: true });
  isOver = true;
  takeTurn();

  expect(snapshots).toHaveLength(201);
  expect(snapshots.every(({ content }, n) => content === longText(n))).toBe(true);
  expect(longest).toBeLessThan((last - begun) / 3);
  const { message_history } = success(await realm.admin.call(getMessageHistory, { message_id: id }));
  expect(message_history).toHaveLength(201);
});

test("the history of a long message that was moved very often contains its original and its newest moves", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel, { topic: "fro", content: "short" });
  await addTextEdits(realm, [id], ["the beginning"]);
  await sql`update message_edits set edited_at = now() - interval '1 day' where message_id = ${id}`.execute(
    realm.ctx.db,
  );
  await sql`update messages set rendered_content = ${"x".repeat(999_995)} where id = ${id}`.execute(realm.ctx.db);
  await addMoves(realm, id, 600);

  const { message_history } = success(await realm.admin.call(getMessageHistory, { message_id: id }));

  expect(message_history).toHaveLength(11);
  expect(message_history[0]).toMatchObject({
    topic: "to",
    content: "the beginning",
    rendered_content: "<p>the beginning</p>",
  });
  expect(message_history.slice(1).every(({ prev_topic, content }) => prev_topic === "to" && content === "short")).toBe(
    true,
  );
});
