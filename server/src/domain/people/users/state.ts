import { roles, type RegisteredUser, type UserObject } from "@skein/api/users.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { areWebPublicChannelsEnabled } from "../../organization/realm/web-public.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";
import { profilesOf } from "../profile-fields/queries.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { avatarUrl } from "./avatar.ts";
import { apiEmail } from "./email.ts";
import { visibilityFor } from "./guest-view.ts";
import { listAccounts, toUnknownUser, toUserObject, type Account } from "./queries.ts";

const registered = ({ is_active: _, ...shown }: UserObject): RegisteredUser => shown;

export const userState: StatePart = {
  types: ["realm_user"],
  load: async (db, { config, user, options }) => {
    const host = realmHost(config, user.realm);
    const profileOf = await profilesOf(db, user.realm_id);
    const how = { host, client_gravatar: options.client_gravatar, profileOf };
    const accounts = await listAccounts(db, user.realm_id);
    const sees = await visibilityFor(db, user);
    const show = (account: Account) =>
      sees(account) ? toUserObject(user, account, how) : toUnknownUser(account.id, how);
    const people = accounts
      .filter((account) => !account.is_system_bot && (sees(account) || !options.user_list_incomplete))
      .map(show);
    const held = await heldRealmPermissions(db, user, [
      "can_create_private_channel_group",
      "can_create_public_channel_group",
      "can_create_web_public_channel_group",
      "can_invite_users_group",
    ]);
    const creates = {
      can_create_private_streams: held.has("can_create_private_channel_group"),
      can_create_public_streams: held.has("can_create_public_channel_group"),
      can_create_web_public_streams:
        areWebPublicChannelsEnabled(config, user.realm) && held.has("can_create_web_public_channel_group"),
    };
    return {
      realm_users: people.filter((person) => person.is_active).map(registered),
      realm_non_active_users: people.filter((person) => !person.is_active).map(registered),
      cross_realm_bots: accounts
        .filter((account) => account.is_system_bot)
        .map((account) => ({ ...registered(show(account)), is_system_bot: true as const })),
      user_id: user.id,
      email: apiEmail(user, host),
      delivery_email: user.delivery_email,
      full_name: user.full_name,
      avatar_source: user.avatar_source === "U" ? "U" : "G",
      avatar_url: avatarUrl(user),
      avatar_url_medium: avatarUrl(user, "medium"),
      is_admin: user.role <= roles.administrator,
      is_owner: user.role === roles.owner,
      is_moderator: user.role === roles.moderator,
      is_guest: user.role === roles.guest,
      ...creates,
      can_create_streams: Object.values(creates).some(Boolean),
      can_invite_others_to_realm: held.has("can_invite_users_group"),
    };
  },
};
