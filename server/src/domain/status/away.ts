/** That somebody hides, or shows again, when they are there. It is a setting; others see it in the status. */
import { presenceOfflineThresholdSeconds } from "@skein/api/presence.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { apiEmail } from "../users/email.ts";
import { toThoseSeeing } from "../users/audience.ts";

/** Told with the change of `presence_enabled`. `host` is the organization's: see realmHost(). */
export async function tellAway(tx: Tx, user: User, host: string, away: boolean): Promise<void> {
  const audience = await toThoseSeeing(tx, user.realm, user);
  emit(tx, user.realm_id, audience, { type: "user_status", user_id: user.id, away });
  if (!away) return;
  // Else clients would show the user as there until the last they heard of them is old.
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
