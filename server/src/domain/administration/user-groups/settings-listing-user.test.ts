import { sendMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { deactivateUser, reactivateUser } from "../users/activation.ts";

test("a deactivated user leaves every setting's list and comes back when reactivated, in events and registration", async () => {
  const realm = await newRealm();
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  const list = { direct_members: [hamlet.id, realm.admin.id], direct_subgroups: [] };
  success(await hamlet.call(createUserGroup, { name: "players", description: "", members: [hamlet.id] }));
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "elsinore" }] }));
  success(await realm.admin.call(updateRealm, { can_create_groups: { new: list } }));
  const organization = await realm.ctx.db
    .selectFrom("realms")
    .selectAll()
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const parts = ["realm", "realm_user", "realm_user_groups", "stream", "subscription"];
  const note = { type: "direct" as const, to: [horatio.id], content: "done" };

  for (const [change, members] of [
    [deactivateUser, [realm.admin.id]],
    [reactivateUser, [hamlet.id, realm.admin.id].toSorted((a, b) => a - b)],
  ] as const) {
    const queue = await horatio.register(undefined, parts, { include_subscribers: true });
    await transaction(realm.ctx.db, "open or close", (tx) => change(tx, organization, hamlet.id));
    const { id } = success(await realm.admin.call(sendMessage, note));

    const { state } = await horatio.register(undefined, parts, { include_subscribers: true });
    expect(state.realm_can_create_groups).toEqual({ direct_members: members, direct_subgroups: [] });
    expect(await queue.followedState(id)).toEqual({ ...state, user_id: horatio.id });
  }
});
