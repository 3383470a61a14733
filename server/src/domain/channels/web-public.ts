import { ApiError, insufficientPermission } from "../../errors.ts";
import type { User } from "../../identity/account.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { holdsRealmPermission } from "../organization/permissions/held-permissions.ts";
import { areWebPublicChannelsEnabled, type WebPublicSwitch } from "../organization/realm/web-public.ts";

/** Throws unless this user may make a channel web-public. */
export async function accessWebPublicChannels(tx: Tx, config: WebPublicSwitch, user: User): Promise<void> {
  if (!areWebPublicChannelsEnabled(config, user.realm)) throw new ApiError("Web-public channels are not enabled.");
  if (!(await holdsRealmPermission(tx, user, "can_create_web_public_channel_group"))) throw insufficientPermission();
}
