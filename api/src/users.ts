import { z } from "zod";
import { endpoint, json, list, manyIds } from "./endpoint.ts";
import { profileValue } from "./profile-fields.ts";

export const minFullNameLength = 2;
export const maxFullNameLength = 100;
export const passwordMinLength = 6;
export const passwordMaxLength = 100;
export const passwordMinGuesses = 10000;
export const maxDeactivationCommentLength = 2000;

// Declared apart from schemas, for clients that apply events without loading schemas.
export { roles } from "./roles.ts";

export const role = z
  .literal([100, 200, 300, 400, 600])
  .describe("100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.");
export type Role = z.output<typeof role>;

/** Of those who can change who else can do what. */
export const powerfulRoles: readonly Role[] = [100, 200];

const avatarSource = z.enum(["G", "U", "J"]);

const profileData = z.record(
  z.string(),
  z.strictObject({
    value: z.string(),
    rendered_value: z.string().optional().describe("The value as HTML, for fields that take Markdown."),
  }),
);
export type ProfileData = z.output<typeof profileData>;

export const userObject = z
  .strictObject({
    user_id: z.int(),
    delivery_email: z.string().nullable().describe("The real address; null when the reader may not see it."),
    email: z.string().describe("The address the API knows the user by; a stand-in where the real one is hidden."),
    full_name: z.string(),
    date_joined: z.string().describe("When the account was made, in ISO 8601."),
    is_active: z.boolean().describe("False for a deactivated account."),
    is_owner: z.boolean(),
    is_admin: z.boolean().describe("True for administrators and owners."),
    is_guest: z.boolean(),
    is_bot: z.boolean(),
    bot_type: z
      .int()
      .nullable()
      .describe("1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people."),
    bot_owner_id: z.int().nullable().optional().describe("Only for bots: who owns it, null when nobody does."),
    is_imported_stub: z.boolean().describe("Whether an import made the account and nobody has signed in to it."),
    role,
    timezone: z.string().describe("An IANA time zone, or empty when the user has not chosen one."),
    avatar_url: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Null where the server uses Gravatar, the client said it computes its addresses itself and can do so for this " +
          "user. May be left out for clients with the user_avatar_url_field_optional capability.",
      ),
    avatar_version: z
      .int()
      .describe("Increases with each new avatar; part of the URL, so that caches are invalidated."),
    profile_data: profileData
      .optional()
      .describe("Values of custom profile fields by field ID. Only for people, and only when asked for."),
  })
  .meta({ id: "User" });
export type UserObject = z.output<typeof userObject>;

/** A user as listed at registration, without is_active: the list they are in determines it. */
export const registeredUser = userObject.omit({ is_active: true }).meta({ id: "RegisteredUser" });
export type RegisteredUser = z.output<typeof registeredUser>;

const systemBot = registeredUser.extend({ is_system_bot: z.literal(true) }).meta({ id: "SystemBot" });

const presentation = {
  client_gravatar: json(z.boolean())
    .default(true)
    .describe("Whether the client computes Gravatar addresses itself, and may be given null for avatar_url."),
  include_custom_profile_fields: json(z.boolean())
    .default(false)
    .describe("Whether to add each user's custom profile values as profile_data."),
};

export const getUsers = endpoint({
  operation: "get-users",
  method: "GET",
  path: "/users",
  auth: "user",
  scope: "users:read",
  area: "Users",
  summary: "Get all users",
  description: "All users that the caller may see, including bots and deactivated accounts.",
  params: {
    user_ids: json(list(z.int(), manyIds)).optional().describe("Only these users, as far as the caller may see them."),
    ...presentation,
  },
  returns: { members: z.array(userObject) },
});

export const createUser = endpoint({
  operation: "create-user",
  method: "POST",
  path: "/users",
  auth: "user",
  scope: "users:manage",
  area: "Users",
  summary: "Create a user",
  description: "Create an account. The caller must be an administrator and hold the can_create_users permission.",
  params: {
    email: z.string().describe("The new account's e-mail address."),
    password: z.string().describe("Its password."),
    full_name: z.string().describe("Its name, as others see it."),
  },
  returns: { user_id: z.int().describe("The ID of the new account.") },
});

export const getOwnUser = endpoint({
  operation: "get-own-user",
  method: "GET",
  path: "/users/me",
  auth: "user",
  scope: null,
  area: "Users",
  summary: "Get own user",
  description: "The calling account, with its fields at the top level of the response.",
  params: {},
  returns: {
    ...userObject.shape,
    delivery_email: z.string().describe("The real address."),
    avatar_url: z.string(),
    max_message_id: z.int().describe("The newest message the caller has received; -1 without any. Deprecated."),
  },
});

export const getUser = endpoint({
  operation: "get-user",
  method: "GET",
  path: "/users/{user_id}",
  auth: "user",
  scope: "users:read",
  area: "Users",
  summary: "Get a user",
  description: "One user, by ID.",
  params: { user_id: json(z.int()).describe("The user's ID."), ...presentation },
  returns: { user: userObject },
});

export const getUserByEmail = endpoint({
  operation: "get-user-by-email",
  method: "GET",
  path: "/users/{email}",
  auth: "user",
  scope: "users:read",
  area: "Users",
  summary: "Get a user by e-mail address",
  description:
    "One user, by the real address where the caller may see it, or by the stand-in of the form " +
    "user{user_id}@{organization host}.",
  params: { email: z.string().describe("The user's address."), ...presentation },
  returns: { user: userObject },
});

const change = {
  full_name: z.string().optional().describe("Another name."),
  role: json(role).optional().describe("Another role. Only owners can make somebody an owner or take that away."),
  profile_data: json(list(profileValue)).optional().describe("Values of custom profile fields to fill in."),
  new_email: z
    .string()
    .optional()
    .describe("Another e-mail address. The caller must be an owner and hold the can_change_user_emails permission."),
};

export const updateUser = endpoint({
  operation: "update-user",
  method: "PATCH",
  path: "/users/{user_id}",
  auth: "user",
  scope: "users:manage",
  stepUp: { role: powerfulRoles },
  area: "Users",
  summary: "Update a user",
  description: "Change somebody's name, role, profile or address; what is left out stays. For administrators.",
  params: { user_id: json(z.int()).describe("The user's ID."), ...change },
  returns: {},
});

export const updateUserByEmail = endpoint({
  operation: "update-user-by-email",
  method: "PATCH",
  path: "/users/{email}",
  auth: "user",
  scope: "users:manage",
  stepUp: { role: powerfulRoles },
  area: "Users",
  summary: "Update a user by e-mail address",
  description: "The same for the user with an address, given as for reading a user by address. For administrators.",
  params: { email: z.string().describe("The user's address."), ...change },
  returns: {},
});

const deactivationActions = z.strictObject({
  delete_profile: z.boolean().optional().describe("Whether to remove its name and picture."),
  delete_public_channel_messages: z.boolean().optional().describe("Whether to delete what it sent to public channels."),
  delete_private_channel_messages: z.boolean().optional().describe("Whether to delete what it sent to private ones."),
  delete_direct_messages: z.boolean().optional().describe("Whether to delete its direct messages."),
});
export type DeactivationActions = z.output<typeof deactivationActions>;

export const deactivateUser = endpoint({
  operation: "deactivate-user",
  method: "DELETE",
  path: "/users/{user_id}",
  auth: "user",
  scope: "users:manage",
  area: "Users",
  summary: "Deactivate a user",
  description:
    "Deactivate an account and the bots it owns. Its data is kept, except for what actions name. For administrators.",
  params: {
    user_id: json(z.int()).describe("The user's ID."),
    deactivation_notification_comment: z
      .string()
      .max(maxDeactivationCommentLength)
      .optional()
      .describe("If given, even if empty, the user is notified by e-mail, with this text."),
    actions: json(deactivationActions)
      .default({})
      .describe(
        "What to delete of the account and its bots. Messages are deleted soon after this request returns, and only by " +
          "those who hold the organization's can_delete_any_message_group.",
      ),
  },
  returns: {},
});

export const reactivateUser = endpoint({
  operation: "reactivate-user",
  method: "POST",
  path: "/users/{user_id}/reactivate",
  auth: "user",
  scope: "users:manage",
  area: "Users",
  summary: "Reactivate a user",
  description: "Reactivate an account. For administrators.",
  params: { user_id: json(z.int()).describe("The user's ID.") },
  returns: {},
});

export const deactivateOwnUser = endpoint({
  operation: "deactivate-own-user",
  method: "DELETE",
  path: "/users/me",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Deactivate own user",
  description: "Deactivate the calling account. The last owner and the last user of an organization cannot do this.",
  params: {},
  returns: {},
});

/** The fields of the registration response under `realm_user`. */
export const userState = {
  realm_users: z.array(registeredUser).describe("Active users, by ID."),
  realm_non_active_users: z.array(registeredUser).describe("Deactivated users, by ID."),
  cross_realm_bots: z.array(systemBot).describe("The server's own bots."),
  user_id: z.int().describe("The caller's ID."),
  email: z.string().describe("The caller's address as the API knows it."),
  delivery_email: z.string().describe("The caller's real address."),
  full_name: z.string().describe("The caller's name."),
  avatar_source: avatarSource.describe(
    "Where the caller's avatar comes from: G Gravatar, U uploaded, J a pattern that this server draws.",
  ),
  avatar_url: z.string().describe("The caller's avatar."),
  avatar_url_medium: z.string().describe("The caller's avatar, larger."),
  is_admin: z.boolean().describe("Whether the caller is an administrator or owner."),
  is_owner: z.boolean().describe("Whether the caller is an owner."),
  is_moderator: z.boolean().describe("Whether the caller is a moderator, an administrator or an owner."),
  is_guest: z.boolean().describe("Whether the caller is a guest."),
  can_create_private_streams: z.boolean().describe("Whether the caller may create private channels."),
  can_create_public_streams: z.boolean().describe("Whether the caller may create public channels."),
  can_create_web_public_streams: z.boolean().describe("Whether the caller may create web-public channels."),
  can_create_streams: z.boolean().describe("Deprecated: whether any of the three is true."),
  can_invite_others_to_realm: z.boolean().describe("Whether the caller may invite people by e-mail."),
};

const person = <T extends z.core.$ZodLooseShape>(fields: T) => z.strictObject({ user_id: z.int(), ...fields });

export const realmUserAddEvent = z.strictObject({
  type: z.literal("realm_user"),
  op: z.literal("add"),
  person: userObject,
});

export const realmUserRemoveEvent = z.strictObject({
  type: z.literal("realm_user"),
  op: z.literal("remove"),
  person: person({ full_name: z.string() }),
});

export const realmUserUpdateEvent = z.strictObject({
  type: z.literal("realm_user"),
  op: z.literal("update"),
  person: z.union([
    person({ full_name: z.string() }),
    person({
      avatar_url: z.string().nullable(),
      avatar_url_medium: z.string(),
      avatar_source: avatarSource,
      avatar_version: z.int(),
    }),
    person({ email: z.string().describe("Deprecated."), timezone: z.string() }),
    person({ bot_owner_id: z.int() }),
    person({ role }),
    person({ delivery_email: z.string().nullable() }),
    person({
      custom_profile_field: z.strictObject({
        id: z.int(),
        value: z.string().nullable(),
        rendered_value: z.string().optional(),
      }),
    }),
    person({ new_email: z.string() }),
    person({ is_active: z.boolean() }),
    person({ is_imported_stub: z.boolean() }),
  ]),
});

export const realmUserEvents = [realmUserAddEvent, realmUserRemoveEvent, realmUserUpdateEvent] as const;

export const endpoints = [
  getUsers,
  createUser,
  getOwnUser,
  getUser,
  getUserByEmail,
  updateUser,
  updateUserByEmail,
  deactivateUser,
  deactivateOwnUser,
  reactivateUser,
];
