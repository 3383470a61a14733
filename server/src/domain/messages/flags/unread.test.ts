import { CompiledQuery, sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import { hashSecret } from "../../../identity/sessions.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { callerValues } from "../access.ts";
import { markRead } from "./actions.ts";
import { markUnreadStatement } from "./mark-unread.ts";
import { SettledIds } from "./settled-ids.ts";
import { unreadMessages } from "./state.ts";

const accountOf = ({ email, apiKey }: TestUser, realm: TestRealm) =>
  realm.ctx.sessions.find({ email, keyHash: hashSecret(apiKey) });

/** The ranges of read ids of a channel, as PostgreSQL writes them. */
async function readRanges(realm: TestRealm, user: TestUser): Promise<string> {
  const { read } = await realm.ctx.db
    .selectFrom("subscriptions")
    .select("read")
    .where("user_id", "=", user.id)
    .executeTakeFirstOrThrow();
  return read;
}

const settledUpTo = (id: number): SettledIds => {
  const settled = new SettledIds();
  for (const now of [0, 1e9]) settled.observe({ newest_id: id, oldest_running: 1, next_transaction: 1 }, now);
  return settled;
};

test("reading message by message leaves one range, even with messages to other channels and the reader's own in between", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const ids: number[] = [];
  for (let i = 0; i < 5; i++) {
    ids.push(await sendToChannel(hamlet, channel));
    await sendDirect(hamlet, [realm.admin]);
    await sendToChannel(ophelia, channel, { readBySender: true });
  }
  const account = await accountOf(ophelia, realm);
  const [first = 0, , third = 0, , last = 0] = ids;
  const settled = settledUpTo(last);

  for (const id of ids.filter((other) => other !== third)) await markRead(realm.ctx.db, account, [id], settled);
  expect(await unreadMessages(realm.ctx.db, account, { empty_topic_name: true })).toMatchObject({
    count: 1,
    streams: [{ unread_message_ids: [third] }],
  });
  await markRead(realm.ctx.db, account, [third], settled);

  const [, from, until] = /^\{\[(\d+),(\d+)\)\}$/.exec(await readRanges(realm, ophelia)) ?? [];
  expect(Number(from)).toBeLessThanOrEqual(first);
  expect(Number(until)).toBe(last + 1);
});

test("ranges are not merged across ids whose messages may still appear", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const before = await sendToChannel(hamlet, channel);
  const elsewhere = await sendDirect(hamlet, [realm.admin]);
  const after = await sendToChannel(hamlet, channel);
  const account = await accountOf(ophelia, realm);

  await markRead(realm.ctx.db, account, [before, after], settledUpTo(elsewhere - 1));

  expect(await readRanges(realm, ophelia)).toContain(`,${before + 1}),[${after},${after + 1})}`);
});

test("a user's own message that is marked as unread meanwhile is not lost by merging", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const [before, own, after] = [
    await sendToChannel(hamlet, channel),
    await sendToChannel(ophelia, channel, { readBySender: true }),
    await sendToChannel(hamlet, channel),
  ];
  const account = await accountOf(ophelia, realm);
  const { db } = realm.ctx;

  let marking: Promise<unknown> = Promise.resolve();
  await transaction(db, "make unread, slowly", async (tx) => {
    const values = [...callerValues(account), [own]];
    await tx.executeQuery(CompiledQuery.raw(markUnreadStatement.text, values));
    marking = markRead(db, account, [before, after], settledUpTo(after));
    await untilBlocked(tx);
  });
  await marking;

  expect(await unreadMessages(db, account, { empty_topic_name: true })).toMatchObject({
    streams: [{ unread_message_ids: [own] }],
  });
});

/** Waits until another connection waits for this transaction to end. */
async function untilBlocked(tx: Tx): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ blocked: boolean }>`
      select exists (select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))) as blocked`.execute(
      tx,
    );
    if (rows[0]?.blocked) return;
    await new Promise((resume) => setImmediate(resume));
  }
}

test("registration lists the newest unread messages and says when there are more", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "elsinore");
  const ids = [
    await sendToChannel(hamlet, channel),
    await sendDirect(hamlet, [realm.admin]),
    await sendToChannel(hamlet, channel),
  ];
  const [oldest, direct, newest] = ids;
  await sql`insert into message_flags (user_id, message_id, realm_id, mentioned)
    select ${realm.admin.id}, id, ${realm.id}, true from unnest(${ids}::bigint[]) as id`.execute(realm.ctx.db);
  const account = await accountOf(realm.admin, realm);
  const listed = (limit: number) => unreadMessages(realm.ctx.db, account, { empty_topic_name: true }, limit);

  expect(await listed(3)).toMatchObject({ count: 3, mentions: ids, old_unreads_missing: false });
  expect(await listed(2)).toMatchObject({
    count: 2,
    pms: [{ unread_message_ids: [direct] }],
    streams: [{ unread_message_ids: [newest] }],
    mentions: [direct, newest],
    old_unreads_missing: true,
  });
  expect(await listed(1)).toMatchObject({ count: 1, pms: [], mentions: [newest], old_unreads_missing: true });
  expect(oldest).toBeLessThan(direct ?? 0);
});
