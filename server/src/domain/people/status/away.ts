/** A user who stops sharing their presence is "away". It is a setting, but other users see it in the status. */
import { presenceOfflineThresholdSeconds } from "@skein/api/presence.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { apiEmail } from "../users/email.ts";
import { toUsersSeeing } from "../users/audience.ts";

/** Called when `presence_enabled` changes. `host` is the organization's: see realmHost(). */
export async function emitAway(tx: Tx, user: User, host: string, away: boolean): Promise<void> {
  const audience = await toUsersSeeing(tx, user.realm, user);
  emit(tx, user.realm_id, audience, { type: "user_status", user_id: user.id, away });
  if (!away) return;
  // Otherwise clients would show the user as present until their last known presence is old.
  const server_timestamp = Date.now() / 1000;
  const timestamp = Math.floor(server_timestamp) - presenceOfflineThresholdSeconds;
  const email = apiEmail(user, host);
  const website = { client: "website", status: "idle", timestamp, pushable: false };
  emit(tx, user.realm_id, audience, {
    type: "presence",
    user_id: user.id,
    email,
    server_timestamp,
    presence: { website },
  });
}
