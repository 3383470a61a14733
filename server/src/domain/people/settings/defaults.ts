/** Default settings for new users. Administrators set them, and everyone receives the events. */
import type { UserSettings } from "@skein/api/settings.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { defaultSettingsOf, toStored } from "./state.ts";
import { differences, type ChosenSettings } from "./update.ts";

/** Returns the changed settings as they were and as they are; undefined if none has changed. */
export async function updateDefaultSettings(
  tx: Tx,
  actor: User,
  chosen: ChosenSettings,
): Promise<{ before: Partial<UserSettings>; after: Partial<UserSettings> } | undefined> {
  const before = await accessDefaultsForUpdate(tx, actor);
  const changes = differences(before, chosen);
  if (Object.keys(changes).length === 0) return undefined;
  await tx
    .updateTable("realms")
    .set({ user_settings_defaults: JSON.stringify(toStored({ ...before, ...changes })) })
    .where("id", "=", actor.realm_id)
    .execute();
  for (const [property, value] of Object.entries(changes)) {
    const event = { type: "realm_user_settings_defaults", op: "update", property, value };
    emit(tx, actor.realm_id, toEveryone, event);
  }
  const old = Object.entries(before).filter(([name]) => name in changes);
  return { before: Object.fromEntries(old), after: changes };
}

/** The current defaults, locked until the transaction ends, for an administrator. */
async function accessDefaultsForUpdate(tx: Tx, actor: User): Promise<UserSettings> {
  if (actor.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  const row = await tx
    .selectFrom("realms")
    .select("user_settings_defaults")
    .where("id", "=", actor.realm_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return defaultSettingsOf(row);
}
