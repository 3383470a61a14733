/** Administrators change settings of other people, several at once. */
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { settingNames, type SettingName, type TargetUsers, type updateSettings } from "@skein/api/settings.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessGroup } from "../user-groups/access.ts";
import { listMembers } from "../user-groups/membership.ts";
import { accessAdministration, noSuchUser } from "../users/access.ts";
import { settingsOf, toStored } from "./state.ts";
import { differences, emitSetting, type ChosenSettings } from "./update.ts";

/** What people alone decide: about their privacy, and what they are mailed. */
const personal = [
  "allow_private_data_export",
  "email_address_visibility",
  "enable_digest_emails",
  "enable_login_emails",
  "enable_marketing_emails",
  "presence_enabled",
  "send_private_typing_notifications",
  "send_read_receipts",
  "send_stream_typing_notifications",
] as const satisfies SettingName[];

type Given = Omit<ParamsOf<typeof updateSettings>, "target_users">;
type Shared = Omit<ChosenSettings, (typeof personal)[number]>;

/** `host` is the organization's: see realmHost(). Returns the settings that were given. */
export async function updateSettingsOfOthers(
  tx: Tx,
  actor: User,
  host: string,
  given: Given,
  { user_ids, group_ids, skip_if_already_edited }: TargetUsers,
): Promise<Shared> {
  accessAdministration(actor);
  if (user_ids.length === 0 && group_ids.length === 0) throw new ApiError("user_ids and group_ids are both empty");
  const chosen = readShared(given);
  const members: number[] = [];
  for (const id of new Set(group_ids))
    members.push(...(await listMembers(tx, actor, await accessGroup(tx, actor, id))));
  const accounts = await lockPeople(tx, actor, user_ids, members);
  const changed = accounts.flatMap((account) => {
    const wanted = skip_if_already_edited ? without(chosen, account.chosen_settings) : chosen;
    const before = settingsOf(account);
    const changes = differences(before, wanted);
    if (Object.keys(changes).length === 0) return [];
    const { email_address_visibility: _, ...settings } = { ...before, ...changes };
    return [{ account, changes, stored: JSON.stringify(toStored(settings)) }];
  });
  const ids = changed.map(({ account }) => account.id);
  await sql`
    update users set settings = new.settings::jsonb
    from unnest(${ids}::bigint[], ${changed.map(({ stored }) => stored)}::text[]) as new (id, settings)
    where users.id = new.id`.execute(tx);
  // Clients drop their drafts by themselves.
  if (chosen.enable_drafts_synchronization === false)
    await sql`delete from drafts where realm_id = ${actor.realm_id} and user_id = any(${ids}::bigint[])`.execute(tx);
  for (const { account, changes } of changed)
    for (const [name, value] of Object.entries(changes)) emitSetting(tx, account, host, name, value);
  return chosen;
}

function readShared(given: Given): Shared {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const isShared = (name: string) =>
    (settingNames as readonly string[]).includes(name) && !(personal as readonly string[]).includes(name);
  if (!names.every(isShared)) throw new ApiError("Cannot change this setting for other users.");
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

const without = (chosen: Shared, names: readonly string[]): Shared =>
  Object.fromEntries(Object.entries(chosen).filter(([name]) => !names.includes(name)));

/** The people among these accounts, also deactivated ones; by id, so that two changes do not wait for each other. */
async function lockPeople(tx: Tx, { realm_id }: User, userIds: readonly number[], members: readonly number[]) {
  const accounts = await tx
    .selectFrom("users")
    .selectAll()
    .where("realm_id", "=", realm_id)
    .where(sql<boolean>`id = any(${[...userIds, ...members]}::bigint[])`)
    .where("is_system_bot", "=", false)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
  const found = new Set(accounts.map(({ id }) => id));
  if (userIds.some((id) => !found.has(id))) throw noSuchUser();
  return accounts.filter((account) => !account.is_bot);
}
