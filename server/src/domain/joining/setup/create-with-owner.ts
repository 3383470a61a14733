/** Creates an organization with its owner and a first channel. */
import { roles } from "@skein/api/users.ts";
import type { TxContext } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { announceNewcomer } from "../../administration/users/welcome.ts";
import { createChannels, type NewChannelSettings } from "../../administration/channels/create.ts";
import { createRealm, type NewRealm } from "../../organization/realm/create.ts";
import { subscribeToDefaultChannels } from "../../administration/subscriptions/actions.ts";
import { addUser } from "../../administration/users/actions.ts";

export interface NewOwner {
  email: string;
  full_name: string;
  password_hash: string;
}

const general = { name: "general", description: "For everyone, and for everything that has no channel of its own." };
const openToAll: NewChannelSettings = {
  invite_only: false,
  is_web_public: false,
  is_default: true,
  history_public_to_subscribers: true,
  message_retention_days: null,
  permissions: {},
};

export async function createWithOwner(tx: Tx, ctx: TxContext, newRealm: NewRealm, owner: NewOwner): Promise<User> {
  const realm = await createRealm(tx, newRealm);
  const user = await addUser(tx, realm, { ...owner, role: roles.owner });
  await createChannels(tx, ctx.config, user, [general], openToAll);
  await subscribeToDefaultChannels(tx, user);
  await announceNewcomer(tx, ctx, realm, user, { inviter: undefined, notifyReferrer: false, welcomeText: null });
  return user;
}
