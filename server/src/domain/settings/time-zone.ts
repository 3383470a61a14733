import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { toThoseSeeing } from "../users/audience.ts";
import { apiEmail } from "../users/email.ts";
import { emitSetting } from "./update.ts";

/** Takes what the account is now. Unlike other settings this one is for others to see. */
export async function updateTimeZone(tx: Tx, user: User, host: string, timezone: string): Promise<void> {
  if (timezone === user.timezone) return;
  await tx.updateTable("users").set({ timezone }).where("id", "=", user.id).execute();
  emitSetting(tx, user, host, "timezone", timezone);
  const person = { user_id: user.id, email: apiEmail(user, host), timezone };
  emit(tx, user.realm_id, await toThoseSeeing(tx, user.realm, user), { type: "realm_user", op: "update", person });
}
