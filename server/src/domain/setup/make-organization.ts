/** An organization, with its owner and a channel to begin in. */
import { roles } from "@skein/api/users.ts";
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { announceNewcomer } from "../accounts/welcome.ts";
import { createChannels, type NewChannelSettings } from "../channels/create.ts";
import { createRealm, type NewRealm } from "../realm/create.ts";
import { subscribeToDefaultChannels } from "../subscriptions/actions.ts";
import { addUser } from "../users/actions.ts";

export interface NewOwner {
  email: string;
  full_name: string;
  password_hash: string;
}

const general = { name: "general", description: "For everybody, about everything that has no channel of its own." };
const openToAll: NewChannelSettings = {
  invite_only: false,
  is_web_public: false,
  is_default: true,
  history_public_to_subscribers: true,
  message_retention_days: null,
  permissions: {},
};

export async function makeOrganization(tx: Tx, ctx: Context, wanted: NewRealm, owner: NewOwner): Promise<User> {
  const realm = await createRealm(tx, wanted);
  const user = await addUser(tx, realm, { ...owner, role: roles.owner });
  await createChannels(tx, ctx.config, user, [general], openToAll);
  await subscribeToDefaultChannels(tx, user);
  await announceNewcomer(tx, ctx, realm, user, { inviter: undefined, notifyReferrer: false });
  return user;
}
