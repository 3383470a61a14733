/**
 * Values of group settings list users individually, but only active ones. So a reactivated account reappears in them. When
 * an account is deactivated, clients that receive the event remove it from the values themselves.
 */
import { sql } from "kysely";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Channel } from "../../channels/access.ts";
import { metadataAudiences } from "../../channels/audience.ts";
import { lockChannelsForSubscriptionChange } from "../../channels/lock.ts";
import { channelPermissionNames } from "../../organization/permissions/channel-permissions.ts";
import { groupSettingValues } from "../../organization/permissions/group-settings.ts";
import { groupOf, realmPermissionNames } from "../../organization/permissions/realm-permissions.ts";
import { userGroupPermissionNames } from "../../organization/permissions/user-group-permissions.ts";
import { emitGroupUpdate } from "../../people/user-groups/event-shapes.ts";
import { settingOf, type GroupRow } from "../../people/user-groups/queries.ts";

type Values = Awaited<ReturnType<typeof groupSettingValues>>;

/** Emits the current value of every setting that lists the user. */
export async function emitSettingsListingUser(
  tx: Tx,
  { id, realm_id }: { id: number; realm_id: number },
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select g.id from user_group_members m join user_groups g on g.id = m.group_id
    where m.user_id = ${id} and g.name is null`.execute(tx);
  if (rows.length === 0) return;
  const values = await groupSettingValues(
    tx,
    rows.map((row) => row.id),
  );
  await emitRealmSettings(tx, realm_id, values);
  await emitGroupSettings(tx, realm_id, values);
  await emitChannelSettings(tx, realm_id, values);
}

async function emitRealmSettings(tx: Tx, realmId: number, values: Values): Promise<void> {
  const realm = await tx.selectFrom("realms").selectAll().where("id", "=", realmId).executeTakeFirstOrThrow();
  for (const name of realmPermissionNames) {
    const value = values.get(groupOf(realm, name));
    if (value === undefined) continue;
    emit(tx, realmId, toEveryone, { type: "realm", op: "update_dict", property: "default", data: { [name]: value } });
  }
}

/** SQL: whether one of the settings of the row `o` has one of these values. */
const hasOneOf = (names: readonly string[], values: Values) =>
  sql<boolean>`array[${sql.raw(names.map((name) => `o.${name}_id`).join(", "))}] && ${[...values.keys()]}::bigint[]`;

async function emitGroupSettings(tx: Tx, realmId: number, values: Values): Promise<void> {
  const { rows } = await sql<GroupRow>`
    select o.* from user_groups o
    where o.realm_id = ${realmId} and o.name is not null and ${hasOneOf(userGroupPermissionNames, values)}
    order by o.id`.execute(tx);
  for (const group of rows)
    for (const name of userGroupPermissionNames) {
      const value = values.get(settingOf(group, name));
      if (value !== undefined) emitGroupUpdate(tx, group, { [name]: value });
    }
}

async function emitChannelSettings(tx: Tx, realmId: number, values: Values): Promise<void> {
  const { rows } = await sql<Channel>`
    select o.* from channels o
    where o.realm_id = ${realmId} and ${hasOneOf(channelPermissionNames, values)}
    order by o.id`.execute(tx);
  if (rows.length === 0) return;
  const boundary = await lockChannelsForSubscriptionChange(
    tx,
    rows.map((channel) => channel.id),
  );
  const audiencesOf = await metadataAudiences(tx, rows, boundary);
  for (const channel of rows)
    for (const property of channelPermissionNames) {
      const groupId = channel[`${property}_id`];
      const value = groupId === null ? undefined : values.get(groupId);
      if (value === undefined) continue;
      const event = { type: "stream", op: "update", stream_id: channel.id, name: channel.name, property, value };
      for (const audience of audiencesOf(channel)) emit(tx, realmId, audience, event);
    }
}
