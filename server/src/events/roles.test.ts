/** What is for people of some roles goes to those who had them when it happened, whenever and wherever it is read. */
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

/** The channels that a reader on one node hears of, as they come (+) and go (-). */
async function heardOn(node: number, { user, id, lastEventId }: TestQueue): Promise<string[]> {
  const params = { queue_id: id, last_event_id: lastEventId, dont_block: true };
  const { events } = success(await user.on(node).call(getEvents, params));
  return events.flatMap((event: Event) => {
    if (event.type !== "stream") return [];
    if (event.op === "create") return event.streams.map(({ name }) => `+${name}`);
    return event.op === "delete" ? ["-"] : [];
  });
}

test("a guest who becomes a member hears of what was there before once, on every node", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register(["stream"]);

  await makeChannel(realm, "early");
  await giveRole(realm, guest, 400);
  await makeChannel(realm, "late");

  for (const node of [0, 1]) expect(await heardOn(node, queue)).toEqual(["+early", "+late"]);
});

test("a member who becomes a guest hears of what happened while they were a member, and of nothing later", async () => {
  const realm = await newRealm();
  const member = await realm.user("member");
  const queue = await member.register(["stream"]);

  await makeChannel(realm, "early");
  await giveRole(realm, member, 600);
  await makeChannel(realm, "late");
  await giveRole(realm, member, 400);
  await giveRole(realm, member, 600);

  for (const node of [1, 0]) expect(await heardOn(node, queue)).toEqual(["+early", "-", "+early", "+late", "-"]);
});
