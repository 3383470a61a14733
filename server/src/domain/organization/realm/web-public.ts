/** Whether channels can be open to visitors without an account. Both the server and the organization must allow it. */
import type { Config } from "../../../config.ts";
import type { Realm } from "../../../identity/account.ts";

export type WebPublicSwitch = Pick<Config, "webPublicChannels">;

export const areWebPublicChannelsEnabled = ({ webPublicChannels }: WebPublicSwitch, realm: Realm): boolean =>
  webPublicChannels && realm.enable_spectator_access;
