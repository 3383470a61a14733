import { roles, type ProfileData, type Role, type UserObject } from "@skein/api/users.ts";
import type { Selectable } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { UsersTable } from "../../../platform/db/schema.ts";
import { avatarUrl, isAvatarComputable } from "./avatar.ts";
import { apiEmail, deliveryEmailFor, placeholderEmail, type Reader } from "./email.ts";

export const accountColumns = [
  "id",
  "delivery_email",
  "full_name",
  "role",
  "is_active",
  "is_bot",
  "is_system_bot",
  "bot_type",
  "bot_owner_id",
  "date_joined",
  "timezone",
  "avatar_source",
  "avatar_version",
  "avatar_key",
  "email_address_visibility",
  "is_imported_stub",
] as const;

/** The fields of an account that other users may learn, depending on the reader. */
export type Account = Pick<Selectable<UsersTable>, (typeof accountColumns)[number]>;

export interface Presentation {
  /** The organization's host, for placeholder addresses. */
  host: string;
  client_gravatar: boolean;
  /** The profile of the account with this id, if profiles were requested. */
  profileOf?: ((userId: number) => ProfileData) | undefined;
}

/** The account as this reader sees it, for responses, registration and events alike. */
export function toUserObject(reader: Reader, account: Account, how: Presentation): UserObject {
  const role = account.role as Role; // the table holds no other
  return {
    user_id: account.id,
    delivery_email: deliveryEmailFor(reader, account),
    email: apiEmail(account, how.host),
    full_name: account.full_name,
    date_joined: toMinutes(account.date_joined),
    is_active: account.is_active,
    is_owner: role === roles.owner,
    is_admin: role <= roles.administrator,
    is_guest: role === roles.guest,
    is_bot: account.is_bot,
    bot_type: account.bot_type,
    ...(account.is_bot ? { bot_owner_id: account.bot_owner_id } : {}),
    is_imported_stub: account.is_imported_stub,
    role,
    timezone: account.timezone,
    avatar_url: how.client_gravatar && isAvatarComputable(account) ? null : avatarUrl(account),
    avatar_version: account.avatar_version,
    ...(how.profileOf && !account.is_bot ? { profile_data: how.profileOf(account.id) } : {}),
  };
}

export const unknownUserName = "Unknown user";
export const unknownUserAvatarUrl = "/static/images/unknown-user-avatar.png";

/** The user object for a user whom the reader may not see. */
export const toUnknownUser = (userId: number, how: Omit<Presentation, "client_gravatar">): UserObject => ({
  user_id: userId,
  delivery_email: null,
  email: placeholderEmail(userId, how.host),
  full_name: unknownUserName,
  date_joined: toMinutes(new Date(0)),
  is_active: true,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  bot_type: null,
  is_imported_stub: false,
  role: roles.member,
  timezone: "",
  avatar_url: unknownUserAvatarUrl,
  avatar_version: 1,
  ...(how.profileOf ? { profile_data: {} } : {}),
});

/** The protocol's format for this time has no seconds. */
const toMinutes = (time: Date): string => `${time.toISOString().slice(0, "2026-01-31T23:59".length)}+00:00`;

/** All accounts of an organization, including system bots, ordered by id. */
export const listAccounts = (db: Db, realmId: number): Promise<Account[]> =>
  db.selectFrom("users").select(accountColumns).where("realm_id", "=", realmId).orderBy("id").execute();
