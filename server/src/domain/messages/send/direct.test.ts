import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { directKey } from "./recipients.ts";

test("a direct message reaches its participants and nobody else", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, polonius] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("polonius"),
  ];
  const queues = await Promise.all([hamlet, ophelia, polonius].map((user) => user.register(["message"])));

  const sent = success(await hamlet.call(sendMessage, { type: "direct", to: [ophelia.id], content: "Get thee" }));
  const mark = success(await hamlet.call(sendMessage, { type: "direct", to: [polonius.id], content: "mark" }));

  const [own, hers, his] = await Promise.all(queues.map((queue) => queue.nextOf("message")));
  expect(own?.message.id).toBe(sent.id);
  expect(hers?.message).toMatchObject({ id: sent.id, type: "private", content: "Get thee", subject: "" });
  expect(hers?.message.display_recipient).toEqual(
    [hamlet, ophelia].map(({ id, email, fullName }) => ({ id, email, full_name: fullName, is_mirror_dummy: false })),
  );
  expect(his?.message.id).toBe(mark.id);
});

test("both directions of a conversation share its id, and including oneself changes nothing", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const send = async (from: typeof hamlet, to: number[]) =>
    success(await from.call(sendMessage, { type: "direct", to, content: "words" })).id;

  const ids = [
    await send(hamlet, [ophelia.id]),
    await send(ophelia, [hamlet.id]),
    await send(hamlet, [hamlet.id, ophelia.id]),
  ];

  const seen = await Promise.all(ids.map(async (message_id) => success(await hamlet.call(getMessage, { message_id }))));
  expect(new Set(seen.map(({ message }) => message.recipient_id)).size).toBe(1);
});

test.each([
  ["a message", "for Ophelia"],
  ["a message that mentions somebody", "for @**ophelia**"],
])("%s never goes to people whose conversation took over a known id", async (_kind, content) => {
  const realm = await newRealm();
  const [hamlet, ophelia, polonius] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("polonius"),
  ];
  const send = async (to: typeof hamlet, text: string) =>
    success(await hamlet.call(sendMessage, { type: "direct", to: [to.id], content: text })).id;
  // Both nodes know both conversations.
  for (const to of [ophelia, polonius, ophelia, polonius, polonius, ophelia]) await send(to, "before");
  await swapConversations(realm.ctx.db, directKey([hamlet.id, ophelia.id]), directKey([hamlet.id, polonius.id]));

  const sent = [await send(ophelia, content), await send(ophelia, content)];

  for (const message_id of sent) {
    success(await ophelia.call(getMessage, { message_id }));
    expect(await polonius.call(getMessage, { message_id })).toMatchObject({
      result: "error",
      msg: "Invalid message(s)",
    });
  }
});

/** Each gets the other's id, as after a restore to an earlier state in which neither existed. */
async function swapConversations(db: Db, one: string, other: string): Promise<void> {
  await sql`update conversations set direct_key = 'moving ' || direct_key where direct_key = ${one}`.execute(db);
  await sql`update conversations set direct_key = ${one} where direct_key = ${other}`.execute(db);
  await sql`update conversations set direct_key = ${other} where direct_key = ${`moving ${one}`}`.execute(db);
  await sql`
    delete from participations p using conversations c
    where c.id = p.conversation_id and c.direct_key in (${one}, ${other})`.execute(db);
  await sql`
    insert into participations (user_id, conversation_id, realm_id)
    select party::bigint, c.id, c.realm_id from conversations c cross join unnest(string_to_array(c.direct_key, ',')) party
    where c.direct_key in (${one}, ${other})`.execute(db);
}
