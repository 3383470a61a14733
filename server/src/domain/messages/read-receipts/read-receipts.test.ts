import { updateMessageFlags } from "@skein/api/flags.ts";
import { muteUser } from "@skein/api/muted-users.ts";
import { getReadReceipts } from "@skein/api/read-receipts.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import { deactivateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const read = async (user: TestUser, id: number) =>
  success(await user.call(updateMessageFlags, { messages: [id], op: "add", flag: "read" }));

const readersOf = async (user: TestUser, id: number): Promise<number[]> =>
  success(await user.call(getReadReceipts, { message_id: id })).user_ids;

test("everybody who may read a message can see who has read it, except the sender", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, horatio] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("horatio"),
  ];
  const channel = await channelOf([hamlet, ophelia, horatio], "elsinore");
  const id = await sendToChannel(hamlet, channel, { readBySender: true });
  const direct = await sendDirect(hamlet, [ophelia]);

  expect(await readersOf(hamlet, id)).toEqual([]);
  await read(ophelia, id);
  await read(ophelia, direct);
  expect(await readersOf(realm.admin, id)).toEqual([ophelia.id]);
  expect(await readersOf(ophelia, direct)).toEqual([ophelia.id]);
  await read(horatio, id);
  expect(await readersOf(ophelia, id)).toEqual([ophelia.id, horatio.id]);
  success(await horatio.call(updateMessageFlags, { messages: [id], op: "remove", flag: "read" }));
  expect(await readersOf(ophelia, id)).toEqual([ophelia.id]);
  success(await ophelia.call(unsubscribe, { subscriptions: ["elsinore"] }));
  expect(await readersOf(hamlet, id)).toEqual([ophelia.id]);
});

test("users who disabled read receipts, muted or muting users and deactivated users are left out", async () => {
  const realm = await newRealm();
  const names = ["silent", "muted", "muting", "gone", "reader"];
  const people = await Promise.all(names.map((name) => realm.user(name)));
  const [silent, muted, muting, gone, reader] = people as [TestUser, TestUser, TestUser, TestUser, TestUser]; // five
  const channel = await channelOf([realm.admin, ...people], "elsinore");
  const id = await sendToChannel(realm.admin, channel);
  for (const person of people) await read(person, id);
  expect(await readersOf(realm.admin, id)).toEqual(people.map((person) => person.id).toSorted((a, b) => a - b));

  success(await silent.call(updateSettings, { send_read_receipts: false }));
  success(await realm.admin.call(muteUser, { muted_user_id: muted.id }));
  success(await muting.call(muteUser, { muted_user_id: realm.admin.id }));
  success(await realm.admin.call(deactivateUser, { user_id: gone.id }));

  expect(await readersOf(realm.admin, id)).toEqual([reader.id]);
});

test("a user who may not read the message learns nothing, and nobody does if receipts are disabled", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const stranger = (await newRealm()).admin;
  const id = await sendDirect(hamlet, [realm.admin]);
  const refusal = { result: "error", code: "BAD_REQUEST", msg: "Invalid message(s)" };

  for (const user of [ophelia, stranger]) expect(await user.call(getReadReceipts, { message_id: id })).toEqual(refusal);
  expect(await hamlet.call(getReadReceipts, { message_id: 2 ** 40 })).toEqual(refusal);
  success(await realm.admin.call(updateRealm, { enable_read_receipts: false }));
  expect(await hamlet.call(getReadReceipts, { message_id: id })).toMatchObject({
    msg: "Read receipts are disabled in this organization.",
  });
});
