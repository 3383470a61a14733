import { createUser, getOwnUser, getUser, getUserByEmail, getUsers } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../auth/passwords.ts";
import { realmHost } from "../realm/address.ts";
import { accessUserByEmail, accessUserById, accessUserCreation } from "./access.ts";
import { addUser } from "./actions.ts";
import { avatarUrl } from "./avatar.ts";
import { isEmail } from "./email.ts";
import { checkFullName } from "./full-name.ts";
import { newestReceivedId } from "../messages/state.ts";
import { listAccounts, toUserObject } from "./queries.ts";

export const userEndpoints: BoundEndpoint[] = [
  handle(getUsers, async ({ ctx, user, params }) => {
    const how = { ...params, host: realmHost(ctx.config, user.realm) };
    const accounts = await listAccounts(ctx.db, user.realm_id);
    const people = accounts.filter((account) => !account.is_system_bot);
    return { members: people.map((account) => toUserObject(user, account, how)) };
  }),

  handle(createUser, async ({ ctx, user, params }) => {
    accessUserCreation(user);
    const { email, password } = params;
    const full_name = checkFullName(params.full_name);
    if (!isEmail(email)) throw new ApiError("Invalid address.");
    checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    const created = await transaction(ctx.db, "create user", (tx) =>
      addUser(tx, user.realm, realmHost(ctx.config, user.realm), { email, full_name, password_hash }),
    );
    return { user_id: created.id };
  }),

  handle(getOwnUser, async ({ ctx, user }) => {
    const how = {
      host: realmHost(ctx.config, user.realm),
      client_gravatar: false,
      include_custom_profile_fields: true,
    };
    return {
      ...toUserObject(user, user, how),
      delivery_email: user.delivery_email,
      avatar_url: avatarUrl(user),
      max_message_id: await newestReceivedId(ctx.db, user),
    };
  }),

  handle(getUser, async ({ ctx, user, params }) => {
    const { user_id, ...asked } = params;
    const account = await accessUserById(ctx.db, user, user_id);
    return { user: toUserObject(user, account, { ...asked, host: realmHost(ctx.config, user.realm) }) };
  }),

  handle(getUserByEmail, async ({ ctx, user, params }) => {
    const { email, ...asked } = params;
    const host = realmHost(ctx.config, user.realm);
    const account = await accessUserByEmail(ctx.db, user, email, host);
    return { user: toUserObject(user, account, { ...asked, host }) };
  }),
];
