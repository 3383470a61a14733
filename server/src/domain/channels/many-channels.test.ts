/** Lists of channels, whose statement finds the reader's groups once, agree with the check of a single channel. */
import { getChannel, getChannels } from "@skein/api/channels.ts";
import { register } from "@skein/api/registration.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { groupId, only } from "../../../test/groups.ts";
import { newRealm, success, type TestUser } from "../../../test/realm.ts";

test("everybody is listed the private channels that they may know of, by rank and by groups however nested", async () => {
  const realm = await newRealm();
  const [deep, listed, other] = [await realm.user("deep"), await realm.user("listed"), await realm.user("other")];
  const moderator = await realm.user("moderator", { role: 300 });
  const guest = await realm.user("guest", { role: 600 });
  const group = async (name: string, members: TestUser[], subgroups: number[]) =>
    success(
      await realm.admin.call(createUserGroup, {
        name,
        description: "",
        members: members.map(({ id }) => id),
        subgroups,
      }),
    ).group_id;
  const innermost = await group("innermost", [deep, guest], []);
  const middle = await group("middle", [], [innermost]);
  const outer = await group("outer", [listed], [middle]);
  const moderators = await groupId(realm, "role:moderators");
  const ranked = await group("ranked", [], [moderators]);
  const nested = (...direct_subgroups: number[]) => ({ direct_members: [], direct_subgroups });
  const permissions = {
    "the creator alone": only(realm.admin),
    "a group": innermost,
    "a group of groups": outer,
    "a list with a group of groups": nested(outer),
    "a system group": moderators,
    "a group with a system group": ranked,
    "a list with both": nested(innermost, moderators),
  };
  for (const [name, can_administer_channel_group] of Object.entries(permissions))
    success(
      await realm.admin.call(subscribe, { subscriptions: [{ name }], invite_only: true, can_administer_channel_group }),
    );
  const all = success(await realm.admin.call(getChannels, {})).streams;

  const seen: Record<string, string[]> = {};
  for (const user of [deep, listed, other, moderator, guest, realm.admin]) {
    const single: string[] = [];
    for (const { stream_id, name } of all)
      if ((await user.call(getChannel, { stream_id })).result === "success") single.push(name);
    const { streams } = success(await user.call(getChannels, { include_all: true }));
    const { subscriptions = [], never_subscribed = [] } = success(
      await user.call(register, { fetch_event_types: ["subscription"] }),
    );
    expect(streams.map(({ name }) => name)).toEqual(single);
    expect([...subscriptions, ...never_subscribed].map(({ name }) => name)).toEqual(single);
    seen[user.fullName] = single;
  }

  expect(seen).toMatchObject({
    deep: ["a group", "a group of groups", "a list with a group of groups", "a list with both"],
    listed: ["a group of groups", "a list with a group of groups"],
    other: [],
    moderator: ["a system group", "a group with a system group", "a list with both"],
    guest: [],
  });
  expect(seen[realm.admin.fullName]).toEqual(Object.keys(permissions));
});
