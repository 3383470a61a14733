/** Events for certain roles reach users who had such a role at the time of the event, whenever and on whichever node they read it. */
import type { Event } from "@skein/api/events.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { getEvents } from "@skein/api/registration.ts";
import { updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestQueue, type TestRealm, type TestUser } from "../../test/realm.ts";

const makeChannel = async (realm: TestRealm, name: string) =>
  success(await realm.admin.call(subscribe, { subscriptions: [{ name }] }));

const giveRole = async (realm: TestRealm, user: TestUser, role: 400 | 600) =>
  success(await realm.admin.call(updateUser, { user_id: user.id, role }));

/** The creations (+) and deletions (-) of channels that a queue delivers on one node. */
async function receivedOn(node: number, { user, id, lastEventId }: TestQueue): Promise<string[]> {
  const params = { queue_id: id, last_event_id: lastEventId, dont_block: true };
  const { events } = success(await user.on(node).call(getEvents, params));
  return events.flatMap((event: Event) => {
    if (event.type !== "stream") return [];
    if (event.op === "create") return event.streams.map(({ name }) => `+${name}`);
    return event.op === "delete" ? ["-"] : [];
  });
}

test("a guest who becomes a member gets each existing channel once, on every node", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register(["stream"]);

  await makeChannel(realm, "early");
  await giveRole(realm, guest, 400);
  await makeChannel(realm, "late");

  for (const node of [0, 1]) await expect.poll(() => receivedOn(node, queue)).toEqual(["+early", "+late"]);
});

test("a member who becomes a guest gets events from the time as a member, and none from later", async () => {
  const realm = await newRealm();
  const member = await realm.user("member");
  const queue = await member.register(["stream"]);

  await makeChannel(realm, "early");
  await giveRole(realm, member, 600);
  await makeChannel(realm, "late");
  await giveRole(realm, member, 400);
  await giveRole(realm, member, 600);

  for (const node of [1, 0])
    await expect.poll(() => receivedOn(node, queue)).toEqual(["+early", "-", "+early", "+late", "-"]);
});
