import { updateMessageFlags } from "@skein/api/flags.ts";
import { muteUser, unmuteUser } from "@skein/api/muted-users.ts";
import { getEvents } from "@skein/api/registration.ts";
import { expect, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";
import { channelOf, flagsFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { lockSender } from "./lock.ts";

const mute = (user: TestUser, { id }: { id: number }) => user.call(muteUser, { muted_user_id: id });
const unmute = (user: TestUser, { id }: { id: number }) => user.call(unmuteUser, { muted_user_id: id });
const parts = ["message", "update_message_flags", "muted_users"];
const stateOf = async (user: TestUser) => (await user.register([], parts)).state;
const refused = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

async function court() {
  const realm = await newRealm();
  const [hamlet, polonius] = [await realm.user("hamlet"), await realm.user("polonius")];
  const laertes = await realm.user("laertes");
  return { realm, hamlet, polonius, laertes, channel: await channelOf([hamlet, polonius, laertes], "elsinore") };
}

test("muting a user marks their messages as read, only for the user who mutes", async () => {
  const { hamlet, polonius, laertes, channel } = await court();
  const [speech, note] = [await sendToChannel(polonius, channel), await sendDirect(polonius, [hamlet])];
  const other = await sendToChannel(laertes, channel);
  const queue = await hamlet.register(["muted_users", "update_message_flags"]);
  const elsewhere = await polonius.register(["muted_users", "update_message_flags", "message"]);

  expect(await mute(hamlet, polonius)).toEqual({ result: "success", msg: "" });

  expect(await queue.next()).toEqual({
    type: "muted_users",
    muted_users: [{ id: polonius.id, timestamp: expect.any(Number) as number }],
  });
  expect(await queue.next()).toEqual({
    type: "update_message_flags",
    op: "add",
    operation: "add",
    flag: "read",
    messages: [speech, note],
    all: false,
  });
  expect(await flagsFor(hamlet, speech)).toEqual(["read"]);
  expect(await flagsFor(hamlet, note)).toEqual(["read"]);
  expect(await flagsFor(hamlet, other)).toEqual([]);
  expect(await flagsFor(laertes, speech)).toEqual([]);
  const end = await sendDirect(polonius, [polonius]);
  expect(await elsewhere.next()).toMatchObject({ type: "message", message: { id: end } });
});

test("later messages arrive as read until the user is unmuted, and stay read", async () => {
  const { hamlet, polonius, channel } = await court();
  success(await mute(hamlet, polonius));
  const queue = await hamlet.register(["message", "muted_users"]);
  const unread = await hamlet.register(["message"], [], { narrow: [["is", "unread"]] });

  const [silent, direct] = [await sendToChannel(polonius, channel), await sendDirect(polonius, [hamlet])];
  expect(await queue.next()).toMatchObject({ message: { id: silent }, flags: ["read"] });
  expect(await queue.next()).toMatchObject({ message: { id: direct }, flags: ["read"] });
  success(await unmute(hamlet, polonius));
  expect(await queue.next()).toEqual({ type: "muted_users", muted_users: [] });
  const heard = await sendToChannel(polonius, channel);

  expect(await queue.next()).toMatchObject({ message: { id: heard }, flags: [] });
  expect(await unread.next()).toMatchObject({ message: { id: heard } });
  expect(await flagsFor(hamlet, silent)).toEqual(["read"]);
  expect(await flagsFor(hamlet, direct)).toEqual(["read"]);
  expect(await flagsFor(hamlet, heard)).toEqual([]);
});

test("a queue that is read late and on another node gets the same", async () => {
  const { realm, hamlet, polonius, channel } = await court();
  success(await mute(hamlet, polonius));
  const queue = await hamlet.register(["message"]);
  const { id: queue_id, lastEventId: last_event_id } = queue;
  const silent = await sendToChannel(polonius, channel);
  success(await unmute(hamlet, polonius));
  const heard = await sendToChannel(polonius, channel);
  for (const _ of [silent, heard]) await queue.next();

  const late = await startNode({ environment: { SKEIN_ROLES: "api" } });

  for (const node of [...realm.nodes, late]) {
    const client = realm.client(node, hamlet);
    const { events } = success(await client.call(getEvents, { queue_id, last_event_id }));
    expect(events).toMatchObject([
      { message: { id: silent }, flags: ["read"] },
      { message: { id: heard }, flags: [] },
    ]);
  }
});

test("a message of a muted user can be marked as unread, and as read again", async () => {
  const { hamlet, polonius, channel } = await court();
  const past = await sendToChannel(polonius, channel);
  success(await mute(hamlet, polonius));
  const late = await sendToChannel(polonius, channel);
  const change = async (op: string, messages: number[]) =>
    success(await hamlet.call(updateMessageFlags, { op, flag: "read", messages })).messages;

  expect(await change("add", [past, late])).toEqual([]);
  expect(await change("remove", [past, late])).toEqual([past, late]);
  expect(await flagsFor(hamlet, late)).toEqual([]);
  expect((await stateOf(hamlet)).unread_msgs?.streams[0]?.unread_message_ids).toEqual([past, late]);
  expect(await change("add", [late])).toEqual([late]);
  expect(await flagsFor(hamlet, late)).toEqual(["read"]);
  expect(await flagsFor(hamlet, past)).toEqual([]);
});

test("a client that follows the events knows who is muted and what is unread", async () => {
  const { hamlet, polonius, laertes, channel } = await court();
  await sendToChannel(polonius, channel);
  await sendDirect(polonius, [hamlet, laertes]);
  const queue = await hamlet.register(["message", "update_message_flags", "muted_users"], parts);

  await sendToChannel(laertes, channel);
  success(await mute(hamlet, polonius));
  await sendToChannel(polonius, channel);
  success(await mute(hamlet, laertes));
  success(await unmute(hamlet, polonius));
  await sendToChannel(polonius, channel);
  await sendDirect(laertes, [hamlet]);

  const followed = await queue.followedState(await sendDirect(hamlet, [hamlet]));
  const { user_id: _, ...known } = followed;
  expect(known).toEqual({ ...queue.state, ...(await stateOf(hamlet)) });
});

test("state and events agree while a user who writes is muted and unmuted", async () => {
  const { hamlet, polonius, channel } = await court();
  await sendToChannel(polonius, channel);
  for (let round = 0; round < 10; round++) {
    const queue = await hamlet.register(["message", "update_message_flags", "muted_users"], parts);

    const talk = Array.from({ length: 12 }, () => sendToChannel(polonius, channel));
    const direct = Array.from({ length: 6 }, () => sendDirect(polonius, [hamlet]));
    success(await (round % 2 === 0 ? mute : unmute)(hamlet, polonius));
    await Promise.all([...talk, ...direct]);

    const followed = await queue.followedState(await sendDirect(hamlet, [hamlet]));
    expect(followed.unread_msgs).toEqual((await stateOf(hamlet)).unread_msgs);
  }
});

test("users cannot mute themselves, nobody, or the same user twice; of two concurrent requests one succeeds", async () => {
  const { realm, hamlet, polonius } = await court();
  const elsewhere = await newRealm();

  expect(await mute(hamlet, hamlet)).toEqual(refused("Cannot mute self"));
  expect(await mute(hamlet, { id: 2 ** 40 })).toEqual(refused("No such user"));
  expect(await mute(hamlet, elsewhere.admin)).toEqual(refused("No such user"));
  expect(await unmute(hamlet, polonius)).toEqual(refused("User is not muted"));
  const answers = await Promise.all(
    realm.nodes.map((_, node) => hamlet.on(node).call(muteUser, { muted_user_id: polonius.id })),
  );
  expect(answers.map((answer) => answer.msg).toSorted()).toEqual(["", "User already muted"]);
  expect(await mute(hamlet, polonius)).toEqual(refused("User already muted"));
});

test("a deactivated account can be muted and unmuted", async () => {
  const { realm, hamlet, polonius } = await court();
  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", polonius.id).execute();

  expect(await mute(hamlet, polonius)).toMatchObject({ result: "success" });
  expect(await unmute(hamlet, polonius)).toMatchObject({ result: "success" });
});

test("when many people are muted and unmuted concurrently on two nodes, the last event holds the final list", async () => {
  const { realm, hamlet } = await court();
  const people = await Promise.all(Array.from({ length: 12 }, (_, index) => realm.user(`player ${index}`)));
  for (const person of people.slice(0, 4)) success(await mute(hamlet, person));
  const queue = await hamlet.register(["muted_users", "message"], ["muted_users"]);

  await Promise.all(
    people.map(async ({ id }, index) =>
      success(await hamlet.on(index).call(index < 4 ? unmuteUser : muteUser, { muted_user_id: id })),
    ),
  );

  const { muted_users } = await queue.followedState(await sendDirect(hamlet, [hamlet]));
  expect(muted_users).toHaveLength(8);
  expect(muted_users).toEqual((await stateOf(hamlet)).muted_users);
});

test("muting a user costs no more for many messages than for one", async () => {
  const { realm, hamlet, polonius, channel } = await court();
  const turn = async () => {
    success(await hamlet.on(1).call(muteUser, { muted_user_id: polonius.id }));
    success(await hamlet.on(1).call(unmuteUser, { muted_user_id: polonius.id }));
  };
  await sendToChannel(polonius, channel);
  const before = await statementsOf(realm, turn);

  await Promise.all(Array.from({ length: 50 }, () => sendToChannel(polonius, channel)));

  expect(await statementsOf(realm, turn)).toBe(before);
});

test("unmuting a user who is not muted does not wait for senders", async () => {
  const { realm, hamlet, polonius } = await court();
  const stranger = (await newRealm()).admin;

  const answers = await transaction(realm.ctx.db, "lock senders", async (tx) => {
    for (const { id } of [polonius, stranger]) await lockSender(tx, id);
    return [await unmute(hamlet, polonius), await unmute(hamlet, stranger)];
  });

  expect(answers).toEqual([refused("User is not muted"), refused("User is not muted")]);
});
