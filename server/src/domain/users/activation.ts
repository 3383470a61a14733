/** Closing an account and opening it again. It keeps what it has; while closed it is shown in no group and channel. */
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Realm } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { metadataAudiences } from "../channels/audience.ts";
import { lockChannelsForSubscriptionChange } from "../channels/lock.ts";
import { emitStandingChange } from "../user-groups/system-membership.ts";
import { lockAccount, refuseOnlyOwner, type LockedAccount } from "./access.ts";

export async function deactivateUser(tx: Tx, realm: Realm, id: number): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (!account.is_active) return;
  await refuseOnlyOwner(tx, account);
  await setActive(tx, account, false);
  // Clients take whoever is gone out of every group and channel by themselves.
}

export async function reactivateUser(tx: Tx, realm: Realm, id: number): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  if (account.is_active) return;
  await setActive(tx, account, true);
  await emitStandingChange(tx, account, undefined, account);
  await emitReturnToGroups(tx, account);
  await emitReturnToChannels(tx, account);
}

async function setActive(tx: Tx, { id, realm_id }: LockedAccount, is_active: boolean): Promise<void> {
  await tx.updateTable("users").set({ is_active }).where("id", "=", id).execute();
  emit(tx, realm_id, toEveryone, { type: "realm_user", op: "update", person: { user_id: id, is_active } });
}

async function emitReturnToGroups(tx: Tx, { id, realm_id }: LockedAccount): Promise<void> {
  const groups = await tx
    .selectFrom("user_group_members as member")
    .innerJoin("user_groups as joined", "joined.id", "member.group_id")
    .select("joined.id")
    .where("member.realm_id", "=", realm_id)
    .where("member.user_id", "=", id)
    .where("joined.name", "is not", null)
    .orderBy("joined.id")
    .execute();
  for (const group of groups) {
    emit(tx, realm_id, toEveryone, { type: "user_group", op: "add_members", group_id: group.id, user_ids: [id] });
  }
}

async function emitReturnToChannels(tx: Tx, { id, realm_id }: LockedAccount): Promise<void> {
  const channels = await tx
    .selectFrom("channels")
    .innerJoin("subscriptions", "subscriptions.channel_id", "channels.id")
    .selectAll("channels")
    .where("channels.realm_id", "=", realm_id)
    .where("subscriptions.user_id", "=", id)
    .where("subscriptions.active", "=", true)
    .orderBy("channels.id")
    .execute();
  const boundary = await lockChannelsForSubscriptionChange(
    tx,
    channels.map((channel) => channel.id),
  );
  const audiencesOf = await metadataAudiences(tx, channels, boundary);
  for (const channel of channels) {
    const event = { type: "subscription", op: "peer_add", stream_ids: [channel.id], user_ids: [id] };
    for (const audience of audiencesOf(channel)) emit(tx, realm_id, audience, event);
  }
}
