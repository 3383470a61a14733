/** Whether channels can be open to people without an account: the server, the organization and a permission decide. */
import type { Config } from "../../config.ts";
import { ApiError, insufficientPermission } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { holdsRealmPermission } from "../permissions/held-permissions.ts";

type Switch = Pick<Config, "webPublicChannels">;

export const areWebPublicChannelsEnabled = ({ webPublicChannels }: Switch, realm: Realm): boolean =>
  webPublicChannels && realm.enable_spectator_access;

/** Throws unless this user may make a channel web-public. */
export async function accessWebPublicChannels(tx: Tx, config: Switch, user: User): Promise<void> {
  if (!areWebPublicChannelsEnabled(config, user.realm)) throw new ApiError("Web-public channels are not enabled.");
  if (!(await holdsRealmPermission(tx, user, "can_create_web_public_channel_group"))) throw insufficientPermission();
}
