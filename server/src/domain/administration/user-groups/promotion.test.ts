import { updateChannel } from "@skein/api/channels.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { getUserGroups } from "@skein/api/user-groups.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { createUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { channelOf } from "../../../../test/actions.ts";
import { promoteFullMembers } from "./promotion.ts";

const day = 86_400_000;

async function fullMembersOf(realm: TestRealm): Promise<number> {
  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  return user_groups.find((group) => group.name === "role:fullmembers")?.id ?? 0;
}

test("a member becomes a full member after the waiting period, with one event for everybody", async () => {
  const realm = await newRealm();
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  const fullMembers = await fullMembersOf(realm);
  success(await realm.admin.call(updateRealm, { can_create_public_channel_group: { new: fullMembers } }));
  const create = (node: number, name: string) => hamlet.on(node).call(subscribe, { subscriptions: [{ name }] });
  success(await realm.admin.call(updateRealm, { waiting_period_threshold: 3 }));
  const queue = await realm.admin.register(["user_group"]);
  for (const node of [0, 1]) expect(await create(node, "too soon")).toMatchObject({ code: "BAD_REQUEST" });
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);
  const join = (id: number, date_joined: Date) =>
    realm.ctx.db.updateTable("users").set({ date_joined }).where("id", "=", id).execute();
  await join(hamlet.id, ago(3 * day));
  await join(horatio.id, ago(9 * day));

  const since = ago(60_000).toISOString();
  await promoteFullMembers.run(realm.ctx, { realmId: realm.id, since }, { attempt: 1, maxAttempts: 1 });

  expect(await queue.next()).toEqual({
    type: "user_group",
    op: "add_members",
    group_id: fullMembers,
    user_ids: [hamlet.id],
  });
  for (const node of [0, 1]) success(await create(node, `channel ${node}`));
});

test("a new full member gets back their topic settings in channels that become visible", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  success(await realm.admin.call(updateRealm, { waiting_period_threshold: 3 }));
  const channel = await channelOf([realm.admin, hamlet], "seniors", { isPrivate: true });
  const open = { can_subscribe_group: { new: await fullMembersOf(realm) } };
  success(await realm.admin.call(updateChannel, { stream_id: channel.id, ...open }));
  const choice = { stream_id: channel.id, topic: "lunch", visibility_policy: 3 } as const;
  success(await hamlet.call(updateUserTopic, choice));
  success(await hamlet.call(unsubscribe, { subscriptions: [channel.name] }));
  const [queue, deaf] = [await hamlet.register(["user_topic"]), await realm.admin.register(["user_topic"])];

  const now = Date.now();
  const joined = { date_joined: new Date(now - 3 * day) };
  await realm.ctx.db.updateTable("users").set(joined).where("id", "=", hamlet.id).execute();
  const since = new Date(now - 60_000).toISOString();
  await promoteFullMembers.run(realm.ctx, { realmId: realm.id, since }, { attempt: 1, maxAttempts: 1 });

  expect(await queue.next()).toMatchObject({ stream_id: channel.id, topic_name: "lunch", visibility_policy: 3 });
  expect(await deaf.all()).toEqual([]);
});

test("a newcomer's promotion is scheduled for the end of the waiting period", async () => {
  const realm = await newRealm();
  success(await realm.admin.call(updateRealm, { waiting_period_threshold: 3 }));

  const email = `new@${realm.host}`;
  success(await realm.admin.call(createUser, { email, full_name: "New", password: "Correct horse battery" }));

  const { rows } = await sql<{ run_at: Date }>`
    select run_at from graphile_worker.jobs where key = ${`${promoteFullMembers.name} ${realm.id}`}`.execute(
    realm.ctx.db,
  );
  expect(Math.abs((rows[0]?.run_at.getTime() ?? 0) - Date.now() - 3 * day)).toBeLessThan(60_000);
});
