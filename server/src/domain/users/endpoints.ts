import * as api from "@skein/api/users.ts";
import type { Context } from "../../context.ts";
import { ApiError, notForBots } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import type { User } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { addressObjection } from "../accounts/allowed-addresses.ts";
import { greetNewcomer } from "../accounts/welcome.ts";
import { checkPassword, hashPassword } from "../auth/passwords.ts";
import { newestReceivedId } from "../messages/state.ts";
import { profilesOf } from "../profile-fields/queries.ts";
import { realmHost } from "../realm/address.ts";
import { accessUserByEmail, accessUserById, accessUserCreation, accessUserUpdate } from "./access.ts";
import { deactivateOwnAccount, deactivateUserAs, reactivateUserAs } from "./activation.ts";
import { addUser } from "./actions.ts";
import { avatarUrl } from "./avatar.ts";
import { checkFullName } from "./full-name.ts";
import { sightOf } from "./guest-view.ts";
import { listAccounts, toStranger, toUserObject, type Account, type Presentation } from "./queries.ts";
import { updateUser, type UserChange } from "./update.ts";

interface Asked {
  client_gravatar: boolean;
  include_custom_profile_fields: boolean;
}

/** Profiles are read for those who are shown: one, or everybody. */
async function presentation(ctx: Context, reader: User, asked: Asked, only?: Account): Promise<Presentation> {
  const { client_gravatar, include_custom_profile_fields } = asked;
  const host = realmHost(ctx.config, reader.realm);
  if (!include_custom_profile_fields) return { host, client_gravatar };
  return { host, client_gravatar, profileOf: await profilesOf(ctx.db, reader.realm_id, only && [only.id]) };
}

async function show(ctx: Context, reader: User, account: Account, asked: Asked) {
  return { user: toUserObject(reader, account, await presentation(ctx, reader, asked, account)) };
}

/** A change of somebody may take a right away, or an address that signs in. */
const change = (ctx: Context, actor: User, id: number, asked: UserChange) =>
  revoke(ctx, "update user", (tx) => updateUser(tx, actor, id, asked));

export const userEndpoints: BoundEndpoint[] = [
  handle(api.getUsers, async ({ ctx, user, params }) => {
    const how = await presentation(ctx, user, params);
    const sees = await sightOf(ctx.db, user);
    const accounts = await listAccounts(ctx.db, user.realm_id);
    const people = accounts.filter((account) => !account.is_system_bot);
    return {
      members: people.map((account) =>
        sees(account) ? toUserObject(user, account, how) : toStranger(account.id, how),
      ),
    };
  }),

  handle(api.createUser, async ({ ctx, user, params }) => {
    accessUserCreation(user);
    const { email, password } = params;
    const full_name = checkFullName(params.full_name);
    const objection = (await addressObjection(ctx.db, user.realm))(email);
    if (objection !== undefined) throw new ApiError(objection);
    checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    return transaction(ctx.db, "create user", async (tx) => {
      const created = await addUser(tx, user.realm, { email, full_name, password_hash });
      await greetNewcomer(tx, ctx, user.realm, created);
      return { user_id: created.id };
    });
  }),

  handle(api.getOwnUser, async ({ ctx, user }) => {
    const asked = { client_gravatar: false, include_custom_profile_fields: true };
    return {
      ...toUserObject(user, user, await presentation(ctx, user, asked, user)),
      delivery_email: user.delivery_email,
      avatar_url: avatarUrl(user),
      max_message_id: await newestReceivedId(ctx.db, user),
    };
  }),

  handle(api.getUser, async ({ ctx, user, params }) => {
    const account = await accessUserById(ctx.db, user, params.user_id);
    return show(ctx, user, account, params);
  }),

  handle(api.getUserByEmail, async ({ ctx, user, params }) => {
    const account = await accessUserByEmail(ctx.db, user, params.email, realmHost(ctx.config, user.realm));
    return show(ctx, user, account, params);
  }),

  handle(api.updateUser, async ({ ctx, user, params: { user_id, ...asked } }) => {
    await change(ctx, user, user_id, asked);
    return {};
  }),

  handle(api.updateUserByEmail, async ({ ctx, user, params: { email, ...asked } }) => {
    accessUserUpdate(user);
    const { id } = await accessUserByEmail(ctx.db, user, email, realmHost(ctx.config, user.realm));
    await change(ctx, user, id, asked);
    return {};
  }),

  handle(api.deactivateUser, async ({ ctx, user, params }) => {
    const { user_id, deactivation_notification_comment: comment } = params;
    await revoke(ctx, "deactivate user", (tx) => deactivateUserAs(tx, user, user_id, comment));
    return {};
  }),

  handle(api.reactivateUser, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "reactivate user", (tx) => reactivateUserAs(tx, user, params.user_id));
    return {};
  }),

  handle(api.deactivateOwnUser, async ({ ctx, user }) => {
    if (user.is_bot) throw notForBots();
    await revoke(ctx, "deactivate own user", (tx) => deactivateOwnAccount(tx, user));
    return {};
  }),
];
