import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toUsersSeeing } from "../users/audience.ts";
import { apiEmail } from "../users/email.ts";
import { emitSetting } from "./update.ts";

/** `user` is the current, locked account. Unlike other settings, this one is visible to other users. */
export async function updateTimeZone(tx: Tx, user: User, host: string, timezone: string): Promise<void> {
  if (timezone === user.timezone) return;
  await tx.updateTable("users").set({ timezone }).where("id", "=", user.id).execute();
  emitSetting(tx, user, host, "timezone", timezone);
  const person = { user_id: user.id, email: apiEmail(user, host), timezone };
  emit(tx, user.realm_id, await toUsersSeeing(tx, user.realm, user), { type: "realm_user", op: "update", person });
}
