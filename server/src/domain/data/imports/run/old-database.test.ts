/**
 * Imports into a database that began before ids were kept for imports: its own messages have ids from 1, so history comes
 * after them.
 */
import { getMessages } from "@skein/api/fetch-messages.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../../../../../test/actions.ts";
import { active, checkAccess } from "../../../../../test/check-access.ts";
import { importedIds, importInto, signIn } from "../../../../../test/imports.ts";
import { at, sourceChannel, sourcePerson } from "../../../../../test/memory-source.ts";
import { startOwnServer, type OwnServer } from "../../../../../test/own-server.ts";
import { addMessage, Chance, randomExport } from "../../../../../test/random-export.ts";
import { newRealm, success, type TestUser } from "../../../../../test/realm.ts";

/** As migration 0041 leaves a database that has messages from the first id on. */
async function startOldServer(): Promise<OwnServer> {
  const server = await startOwnServer();
  const { db } = server.ctx;
  await sql`select setval('messages_id_seq', 1, false)`.execute(db);
  await sql`update import_ids set next_id = 1, end_id = 1`.execute(db);
  await sql`update notification_progress set settled = 0`.execute(db);
  await sql`update search_progress set message_id = 0`.execute(db);
  return server;
}

const page = async (user: TestUser, params: object) =>
  success(await user.call(getMessages, { num_before: 0, num_after: 0, apply_markdown: false, ...params }));

const textsOf = ({ messages }: { messages: { content: string }[] }): string[] => messages.map(({ content }) => content);

test("history comes after what was sent, in the order of time, while people write; and every anchor finds it", async () => {
  const server = await startOldServer();
  const realm = await newRealm([server]);
  const { db } = realm.ctx;
  const colleague = await realm.user("colleague");
  const quay = await channelOf([realm.admin, colleague], "harbour");
  const before = await sendToChannel(realm.admin, quay, { topic: "now", content: "Before the import" });
  const lines = Array.from({ length: 2500 }, (_, n) => ({
    id: `n${n}`,
    channelId: "harbour",
    senderId: n % 2 === 0 ? "ines" : "tomasz",
    at: at("2024-08-01 08:00") + ((n * 7919) % 2500) * 1_000_000,
    text: [`Line ${(n * 7919) % 2500}`],
  }));
  const sent: Promise<unknown>[] = [];
  const onProgress = () =>
    void sent.push(sendDirect(colleague, [realm.admin], { content: `Meanwhile ${sent.length}` }));

  const report = await importInto(
    realm,
    {
      people: [sourcePerson("ines"), sourcePerson("tomasz")],
      channels: [sourceChannel("harbour", ["ines", "tomasz"])],
      messages: lines,
    },
    { onProgress },
  );
  await Promise.all(sent);
  const after = await sendToChannel(realm.admin, quay, { topic: "now", content: "After the import" });

  expect(report.imported.messages).toBe(2500);
  expect(report.remarks).toEqual([expect.stringContaining("come after all others")]);
  const { rows } = await sql<{ first: number; last: number; is_ordered: boolean }>`
    select min(id) as first, max(id) as last, bool_and(is_later) as is_ordered from (
      select id, date_sent >= lag(date_sent, 1, date_sent) over (order by id) as is_later
      from messages where id = any(${[...(await importedIds(realm)).values()]}::bigint[])) as imported`.execute(db);
  const { first, last, is_ordered } = rows[0] ?? { first: 0, last: 0, is_ordered: false };
  expect(is_ordered).toBe(true);
  expect(before).toBeLessThan(first);
  expect(after).toBeGreaterThan(last);

  const ines = await signIn(realm, "ines@lantern.example");
  const narrow = [{ operator: "channel", operand: "harbour" }];
  for (const reader of [ines, colleague]) {
    const topic = [...narrow, { operator: "topic", operand: "channel talk · 2024-08" }];
    const oldest = await page(reader, { anchor: "oldest", num_after: 100, narrow: topic });
    expect(textsOf(oldest)).toEqual(Array.from({ length: 100 }, (_, n) => `Line ${n}`));
    const newest = await page(reader, { anchor: "newest", num_before: 2, narrow });
    expect(textsOf(newest)).toEqual(["Line 2499", "After the import"]);
    const found = await page(reader, { anchor: String(first + 1), num_before: 100, num_after: 4900, narrow });
    expect(found.messages).toHaveLength(2502);
    const unread = await page(reader, { anchor: "first_unread", num_after: 1, narrow });
    expect(unread.anchor).toBe(reader === ines ? after : before);
    const searched = await page(reader, {
      anchor: "newest",
      num_before: 10,
      narrow: [{ operator: "search", operand: "Line 77" }],
    });
    expect(textsOf(searched)).toContain("Line 77");
  }
  const { state } = await ines.register(["message"], ["message", "update_message_flags"]);
  expect(state.unread_msgs).toMatchObject({ count: 1 });
  const { rows: notified } = await sql<{ count: number }>`
    select count(*) as count from missed_messages where message_id between ${first} and ${last}`.execute(db);
  expect(notified[0]?.count).toBe(0);
  success(await ines.call(sendMessage, { type: "channel", to: quay.id, topic: "now", content: "And now" }));
});

test.for([1, 2])("everybody reads what they could read before, and nothing else (%i)", async (seed) => {
  const chance = new Chance(seed);
  const server = await startOldServer();
  const realm = await newRealm([server]);
  await sendDirect(realm.admin, [realm.admin], { content: "The first" });
  const given = randomExport(chance);

  await importInto(realm, given);
  expect(await checkAccess(realm, given, { isAllRead: true })).toBe(active.length);

  await sendDirect(realm.admin, [realm.admin], { content: "In between" });
  for (let n = 0; n < 15; n++) addMessage(given, chance);
  await importInto(realm, given, { fingerprint: "newer" });
  expect(await checkAccess(realm, given, { isAllRead: true })).toBe(active.length);
});
