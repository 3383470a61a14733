import { fetchApiKey } from "@skein/api/authentication.ts";
import { addDefaultChannel } from "@skein/api/default-channels.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { createUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import { channelOf, flagsFor, sendToChannel, type TestChannel } from "../../../../test/actions.ts";
import { password } from "../../../../test/test-browser.ts";

/** Creates messages that look old, and returns their IDs. */
async function sayMuch({ admin, ctx, id: realm }: TestRealm, channel: TestChannel, count: number): Promise<number[]> {
  const first = await sendToChannel(admin, channel);
  const { rows } = await sql<{ id: number }>`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content
    from messages, generate_series(2, ${count}) where realm_id = ${realm} and id = ${first} returning id`.execute(
    ctx.db,
  );
  return [first, ...rows.map(({ id }) => id)];
}

async function newcomer(realm: TestRealm): Promise<TestUser> {
  const { admin } = realm;
  await realm.ctx.db.updateTable("users").set({ can_create_users: true }).where("id", "=", admin.id).execute();
  const email = `nell@${realm.host}`;
  success(await admin.call(createUser, { email, password, full_name: "Nell" }));
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const answer = success(await realm.client(node).call(fetchApiKey, { username: email, password }));
  return new TestUser(realm, answer.user_id, email, "Nell", answer.api_key);
}

const all = { anchor: "oldest", num_before: 0, num_after: 5000 } as const;

test("a new account receives the newest messages of its channels, the last of them unread", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [court, stage] = [await channelOf([admin], "court"), await channelOf([admin], "stage")];
  const secret = await channelOf([admin], "secret", { hasSharedHistory: false, isPrivate: true });
  for (const channel of [court, stage]) success(await admin.call(addDefaultChannel, { stream_id: channel.id }));
  const old = await sayMuch(realm, court, 700);
  const middle = await sayMuch(realm, stage, 290);
  await sendToChannel(admin, secret);
  const last = await sayMuch(realm, court, 15);

  const nell = await newcomer(realm);
  const { unread_msgs } = (await nell.register([], ["message", "update_message_flags"])).state;
  const expected = [...old, ...middle, ...last].slice(-1000);
  const unread = expected.slice(-20);

  expect(unread_msgs?.streams.flatMap((topic) => topic.unread_message_ids).toSorted((a, b) => a - b)).toEqual(unread);
  const { messages } = success(await nell.call(getMessages, all));
  const ofPeople = messages.filter(({ sender_id }) => sender_id === admin.id).map(({ id }) => id);
  expect(ofPeople).toEqual(expected);
  expect(await flagsFor(nell, expected[0] ?? 0)).toEqual(["read"]);
  expect(await flagsFor(nell, old[0] ?? 0)).toEqual(["read", "historical"]);

  const queue = await nell.register(["update_message"]);
  success(await admin.call(updateMessage, { message_id: expected[5] ?? 0, content: "better words" }));
  expect(await queue.next()).toMatchObject({ type: "update_message", message_id: expected[5] });
});
