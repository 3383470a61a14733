import { roles } from "@skein/api/users.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { areWebPublicChannelsEnabled } from "../../organization/realm/web-public.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";
import { profilesOf } from "../profile-fields/queries.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { avatarSourceOf, avatarUrl } from "./avatar.ts";
import { apiEmail } from "./email.ts";
import { everyone, visibilityFor } from "./guest-view.ts";
import { listOf, lists, toRegistered } from "./people-texts.ts";
import { listAccounts, toUnknownUser, toUserObject } from "./queries.ts";

/** Everybody whom the user can see. */
export const peopleState: StatePart = {
  types: ["realm_user"],
  load: async (db, { ctx, config, user, options, moment }) => {
    const how = { host: realmHost(config, user.realm), client_gravatar: options.client_gravatar };
    const sees = await visibilityFor(db, user);
    if (sees === everyone) return ctx.memory.peopleTexts.load(db, user, how, moment);
    const own = { ...how, profileOf: await profilesOf(db, user.realm_id) };
    const shown = (await listAccounts(db, user.realm_id))
      .filter((account) => account.is_system_bot || sees(account) || !options.user_list_incomplete)
      .map((account) => {
        const person = sees(account) ? toUserObject(user, account, own) : toUnknownUser(account.id, own);
        return { list: listOf({ ...account, is_active: person.is_active }), person: toRegistered(person, account) };
      });
    return Object.fromEntries(
      lists.map((list) => [list, shown.filter((one) => one.list === list).map(({ person }) => person)]),
    );
  },
};

/** The user's own account. */
export const userState: StatePart = {
  types: ["realm_user"],
  load: async (db, { config, user }) => {
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
      user_id: user.id,
      email: apiEmail(user, realmHost(config, user.realm)),
      delivery_email: user.delivery_email,
      full_name: user.full_name,
      avatar_source: avatarSourceOf(user),
      avatar_url: avatarUrl(user),
      avatar_url_medium: avatarUrl(user, "medium"),
      is_admin: user.role <= roles.administrator,
      is_owner: user.role === roles.owner,
      is_moderator: user.role <= roles.moderator,
      is_guest: user.role === roles.guest,
      ...creates,
      can_create_streams: Object.values(creates).some(Boolean),
      can_invite_others_to_realm: held.has("can_invite_users_group"),
    };
  },
};
