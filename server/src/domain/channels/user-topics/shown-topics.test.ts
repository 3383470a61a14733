import { archiveChannel, updateChannel } from "@skein/api/channels.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { updateUserGroupMembers, createUserGroup } from "@skein/api/user-groups.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendDirect } from "../../../../test/actions.ts";

const choose = async (user: TestUser, stream_id: number, topic: string, visibility_policy: 1 | 3) =>
  success(await user.call(updateUserTopic, { stream_id, topic, visibility_policy }));
const policyEvent = (topic_name: string, visibility_policy: number) => ({
  type: "user_topic",
  topic_name,
  visibility_policy,
});

test("policies disappear when a user can no longer read a channel, and come back with access", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const channel = await channelOf([realm.admin, administrator], "council", { isPrivate: true });
  await choose(administrator, channel.id, "ghosts", 3);
  const queue = await administrator.register(["user_topic"]);
  const others = await realm.admin.register(["user_topic", "message"]);
  const change = { principals: [administrator.id] };

  success(await realm.admin.call(unsubscribe, { subscriptions: [channel.name], ...change }));
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: channel.name }], ...change }));

  expect(await queue.next()).toMatchObject(policyEvent("ghosts", 0));
  expect(await queue.next()).toMatchObject(policyEvent("ghosts", 3));
  const mark = await sendDirect(administrator, [realm.admin]);
  expect(await others.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("policies disappear with an archived channel, where none can be set, and come back with it", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "elsinore");
  await choose(hamlet, channel.id, "ghosts", 1);
  const queue = await hamlet.register(["user_topic", "muted_topics"]);

  success(await realm.admin.call(archiveChannel, { stream_id: channel.id }));
  const refused = await hamlet.call(updateUserTopic, {
    stream_id: channel.id,
    topic: "skulls",
    visibility_policy: 3,
  });
  success(await realm.admin.call(updateChannel, { stream_id: channel.id, is_archived: false }));

  expect(refused).toMatchObject({ msg: "Invalid channel ID" });
  expect(await queue.next()).toMatchObject(policyEvent("ghosts", 0));
  expect(await queue.next()).toMatchObject(policyEvent("ghosts", 1));
});

test("older clients receive the remaining muted topics", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "elsinore");
  await choose(hamlet, channel.id, "ghosts", 1);
  const queue = await hamlet.register(["muted_topics"]);

  success(await realm.admin.call(archiveChannel, { stream_id: channel.id }));

  expect(await queue.next()).toEqual({ type: "muted_topics", muted_topics: [] });
});

test("changes of role, group and channel settings show and hide policies too", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const member = await realm.user("member");
  const { group_id } = success(
    await realm.admin.call(createUserGroup, { name: "readers", description: "", members: [realm.admin.id, member.id] }),
  );
  const channel = await channelOf([realm.admin], "elsinore");
  const opened = await channelOf([realm.admin], "council", { isPrivate: true });
  success(await realm.admin.call(updateChannel, { stream_id: opened.id, can_subscribe_group: { new: group_id } }));
  await choose(member, channel.id, "ghosts", 3);
  await choose(member, opened.id, "crowns", 3);
  success(await realm.admin.call(updateUser, { user_id: guest.id, role: 400 }));
  await choose(guest, channel.id, "poison", 3);
  const [ofMember, ofGuest] = [await member.register(["user_topic"]), await guest.register(["user_topic"])];

  success(await realm.admin.call(updateUserGroupMembers, { user_group_id: group_id, delete: [member.id] }));
  success(await realm.admin.call(updateUser, { user_id: guest.id, role: 600 }));
  success(await realm.admin.call(updateChannel, { stream_id: channel.id, is_private: true }));

  expect(await ofMember.next()).toMatchObject(policyEvent("crowns", 0));
  expect(await ofMember.next()).toMatchObject(policyEvent("ghosts", 0));
  expect(await ofGuest.next()).toMatchObject(policyEvent("poison", 0));
});
