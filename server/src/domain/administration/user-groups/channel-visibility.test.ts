/** Channels opened by a group appear for new members and disappear for former ones, and no access outlives its removal. */
import { getChannel } from "@skein/api/channels.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import {
  createUserGroup,
  getUserGroups,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

async function newGroup(realm: TestRealm, name: string, members: number[] = [], subgroups: number[] = []) {
  const created = await realm.admin.call(createUserGroup, { name, description: "", members, subgroups });
  return success(created).group_id;
}

/** A private channel whose name and settings the group may see. */
async function channelOpenedBy(realm: TestRealm, group: number): Promise<number> {
  const value = { direct_members: [realm.admin.id], direct_subgroups: [group] };
  const made = {
    subscriptions: [{ name: "elsinore" }],
    invite_only: true,
    history_public_to_subscribers: true,
    can_subscribe_group: value,
  };
  success(await realm.admin.call(subscribe, made));
  const { id } = await realm.ctx.db
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", realm.id)
    .executeTakeFirstOrThrow();
  return id;
}

test("a channel appears and disappears with a group's members and subgroups, only for the affected users", async () => {
  const realm = await newRealm();
  const [hamlet, horatio, guest] = [
    await realm.user("hamlet"),
    await realm.user("horatio"),
    await realm.user("guest", { role: 600 }),
  ];
  const inner = await newGroup(realm, "inner", [horatio.id]);
  const outer = await newGroup(realm, "outer");
  const channel = await channelOpenedBy(realm, outer);
  const types: ("stream" | "subscription")[] = ["stream", "subscription"];
  const [queue, other, guests] = [
    await hamlet.register(types),
    await horatio.register(types),
    await guest.register(types),
  ];
  const change = async (lists: object) =>
    success(await realm.admin.call(updateUserGroupMembers, { user_group_id: outer, ...lists }));

  await change({ add: [hamlet.id, guest.id] });
  await change({ add_subgroups: [inner] });
  await change({ delete: [hamlet.id, guest.id] });
  success(await realm.admin.call(updateUserGroupMembers, { user_group_id: inner, add: [hamlet.id] }));
  success(await realm.admin.call(updateUserGroupSubgroups, { user_group_id: outer, delete: [inner] }));

  const appears = { type: "stream", op: "create", streams: [{ stream_id: channel }] };
  const peers = { op: "peer_add", stream_ids: [channel], user_ids: [realm.admin.id] };
  const vanishes = { type: "stream", op: "delete", stream_ids: [channel] };
  for (const expected of [appears, peers, vanishes, appears, peers, vanishes])
    expect(await queue.next()).toMatchObject(expected);
  for (const expected of [appears, peers, vanishes]) expect(await other.next()).toMatchObject(expected);
  expect(await guests.all()).toEqual([]);
});

test("applying the events of group changes matches a fresh registration's channels", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  const fullMembers = user_groups.find((group) => group.name === "role:fullmembers")?.id ?? 0;
  const group = await newGroup(realm, "players", [], [fullMembers]);
  await channelOpenedBy(realm, group);
  const parts = ["subscription", "stream", "realm_user_groups", "realm"];
  const note = { type: "direct" as const, to: [hamlet.id], content: "done" };

  for (const [waiting_period_threshold, known] of [
    [3, 0],
    [0, 1],
  ] as const) {
    const queue = await hamlet.register(undefined, parts, { include_subscribers: true });
    success(await realm.admin.call(updateRealm, { waiting_period_threshold }));
    const { id } = success(await realm.admin.call(sendMessage, note));

    const { user_id: _, ...followed } = await queue.followedState(id);
    const { state } = await hamlet.register(undefined, parts, { include_subscribers: true });
    expect(followed).toEqual(state);
    expect(followed.never_subscribed).toHaveLength(known);
  }
});

test("a user who left a group has none of its permissions on another node at once, many times", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const inner = await newGroup(realm, "inner");
  const group = await newGroup(realm, "outer", [], [inner]);
  const channel = await channelOpenedBy(realm, group);
  const managed = await newGroup(realm, "managed");
  success(
    await realm.admin.call(updateUserGroup, {
      user_group_id: managed,
      can_manage_group: { new: { direct_members: [], direct_subgroups: [group] } },
    }),
  );
  success(await realm.admin.call(updateRealm, { can_create_groups: { new: group } }));
  const passed: string[] = [];

  for (let round = 0; round < 90; round++) {
    const [here, there] = [realm.admin.on(round), hamlet.on(round + 1)];
    success(await here.call(updateUserGroupMembers, { user_group_id: inner, add: [hamlet.id] }));
    success(await there.call(getChannel, { stream_id: channel }));
    success(await here.call(updateUserGroupMembers, { user_group_id: inner, delete: [hamlet.id] }));
    const uses = [
      () => there.call(getChannel, { stream_id: channel }),
      () => there.call(updateUserGroup, { user_group_id: managed, description: `round ${round}` }),
      () => there.call(createUserGroup, { name: `round ${round}`, description: "", members: [] }),
    ];
    const answer = await uses[round % uses.length]?.();
    if (answer?.result !== "error") passed.push(`${round}: ${JSON.stringify(answer)}`);
  }

  expect(passed).toEqual([]);
});

test("a permission revoked from everybody no longer applies on another node at once, many times", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  const named = (name: string) => user_groups.find((group) => group.name === name)?.id ?? 0;
  const [members, nobody] = [named("role:members"), named("role:nobody")];
  const passed: string[] = [];

  for (let round = 0; round < 60; round++) {
    const [here, there] = [realm.admin.on(round), hamlet.on(round + 1)];
    const create = (name: string) => there.call(createUserGroup, { name, description: "", members: [] });
    success(await here.call(updateRealm, { can_create_groups: { new: members } }));
    success(await create(`yes ${round}`));
    success(await here.call(updateRealm, { can_create_groups: { new: nobody } }));
    const answer = await create(`no ${round}`);
    if (answer.result !== "error") passed.push(`${round}: ${JSON.stringify(answer)}`);
  }

  expect(passed).toEqual([]);
});
