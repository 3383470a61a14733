import * as api from "@skein/api/users.ts";
import type { Context } from "../../../context.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { greetNewcomer } from "./welcome.ts";
import { checkPassword, hashPassword } from "../../people/auth/passwords.ts";
import { newestReceivedId } from "../../messages/state.ts";
import { profilesOf } from "../../people/profile-fields/queries.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { accessUserByEmail, accessUserById, accessUserCreation, accessUserUpdate } from "../../people/users/access.ts";
import { deactivateOwnAccount, deactivateUserAs, reactivateUserAs } from "./activation.ts";
import { addUser } from "./actions.ts";
import { avatarUrl } from "../../people/users/avatar.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import { visibilityFor } from "../../people/users/guest-view.ts";
import { listAccounts, toUserObject, type Account, type Presentation } from "../../people/users/queries.ts";
import { updateUser, type UserChange } from "./update.ts";
import { audited, type Caller } from "../../organization/audit/audited.ts";
import type { Fields } from "../../organization/audit/subjects.ts";

interface ShowOptions {
  client_gravatar: boolean;
  include_custom_profile_fields: boolean;
}

/** Loads the profiles of all accounts, or of `only` one. */
async function presentation(ctx: Context, reader: User, options: ShowOptions, only?: Account): Promise<Presentation> {
  const { include_custom_profile_fields } = options;
  const client_gravatar = options.client_gravatar && ctx.config.gravatar;
  const host = realmHost(ctx.config, reader.realm);
  if (!include_custom_profile_fields) return { host, client_gravatar };
  return { host, client_gravatar, profileOf: await profilesOf(ctx.db, reader.realm_id, only && [only.id]) };
}

async function show(ctx: Context, reader: User, account: Account, options: ShowOptions) {
  return { user: toUserObject(reader, account, await presentation(ctx, reader, options, account)) };
}

/** Uses revoke(), since a change may remove a permission or an e-mail address used to sign in. */
const change = (ctx: Context, caller: Caller, id: number, changes: UserChange) =>
  revoke(ctx, "update user", (tx) =>
    audited(tx, caller, { kind: "user", id, action: userUpdate }, () => updateUser(tx, caller.user, id, changes)),
  );

const userUpdate = (_: Fields, after: Fields) =>
  "role" in after ? "user.update_role" : "profile_data" in after ? "user.update_profile_data" : "user.update";

export const userEndpoints: BoundEndpoint[] = [
  handle(api.getUsers, async ({ ctx, user, params }) => {
    const how = await presentation(ctx, user, params);
    const sees = await visibilityFor(ctx.db, user);
    const accounts = await listAccounts(ctx.db, user.realm_id);
    const wanted = params.user_ids && new Set(params.user_ids);
    const members = accounts.filter(
      (account) => !account.is_system_bot && (wanted?.has(account.id) ?? true) && sees(account),
    );
    return { members: members.map((account) => toUserObject(user, account, how)) };
  }),

  handle(api.createUser, async ({ ctx, user, params, request }) => {
    accessUserCreation(user);
    const { email, password } = params;
    const full_name = checkFullName(params.full_name);
    const objection = (await addressChecker(ctx.db, user.realm))(email);
    if (objection !== undefined) throw new ApiError(objection);
    await checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    return transaction(ctx.db, "create user", async (tx) => {
      const created = await audited(
        tx,
        { user, request },
        { kind: "user", id: ({ id }) => id, action: "user.create" },
        () => addUser(tx, user.realm, { email, full_name, password_hash }),
      );
      await greetNewcomer(tx, ctx, user.realm, created);
      return { user_id: created.id };
    });
  }),

  handle(api.getOwnUser, async ({ ctx, user }) => {
    const options = { client_gravatar: false, include_custom_profile_fields: true };
    return {
      ...toUserObject(user, user, await presentation(ctx, user, options, user)),
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

  handle(api.updateUser, async ({ ctx, user, params: { user_id, ...changes }, request }) => {
    await change(ctx, { user, request }, user_id, changes);
    return {};
  }),

  handle(api.updateUserByEmail, async ({ ctx, user, params: { email, ...changes }, request }) => {
    accessUserUpdate(user);
    const { id } = await accessUserByEmail(ctx.db, user, email, realmHost(ctx.config, user.realm));
    await change(ctx, { user, request }, id, changes);
    return {};
  }),

  handle(api.deactivateUser, async ({ ctx, user, params, request }) => {
    const { user_id, deactivation_notification_comment: comment, actions } = params;
    const details = Object.values(actions).includes(true) ? { actions } : undefined;
    await revoke(ctx, "deactivate user", (tx) =>
      audited(tx, { user, request }, { kind: "user", id: user_id, action: "user.deactivate", details }, () =>
        deactivateUserAs(tx, user, user_id, comment, actions),
      ),
    );
    return {};
  }),

  handle(api.reactivateUser, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "reactivate user", (tx) =>
      audited(tx, { user, request }, { kind: "user", id: params.user_id, action: "user.reactivate" }, () =>
        reactivateUserAs(tx, ctx.secretBox, user, params.user_id),
      ),
    );
    return {};
  }),

  handle(api.deactivateOwnUser, async ({ ctx, user, request }) => {
    if (user.is_bot) throw notForBots();
    await revoke(ctx, "deactivate own user", (tx) =>
      audited(tx, { user, request }, { kind: "user", id: user.id, action: "user.deactivate" }, () =>
        deactivateOwnAccount(tx, user),
      ),
    );
    return {};
  }),
];
