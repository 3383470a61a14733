/**
 * Each user has two e-mail addresses: the real one, for mail and for signing in, and the one the API reports. The API
 * reports the real one only if everyone may see it; otherwise a placeholder, which is the same for every reader.
 */
import { roles, type Role } from "@skein/api/users.ts";

/** The fields that determine an account's addresses. */
export interface Addressed {
  id: number;
  delivery_email: string;
  email_address_visibility: number;
  is_bot: boolean;
}

/** The user who reads. */
export interface Reader {
  id: number;
  role: number;
}

const everybody = 1;

/** The visibility for which only the user sees the address. */
export const nobodySeesAddress = 4;

/** By visibility, the role required to see the real address. Roles with more rights have smaller numbers. */
const requiredRole: Record<number, number> = {
  [everybody]: roles.guest,
  2: roles.member,
  3: roles.administrator,
  5: roles.moderator,
};

/** The roles that see the real address with this visibility. The user always sees it. */
export const rolesSeeingAddress = (visibility: number): Role[] =>
  Object.values(roles).filter((role) => role <= (requiredRole[visibility] ?? 0));

/** The address of a bot is always public. */
export const isAddressPublic = (account: Addressed): boolean =>
  account.is_bot || account.email_address_visibility === everybody;

export const canSeeAddress = (reader: Reader, account: Addressed): boolean =>
  reader.id === account.id ||
  isAddressPublic(account) ||
  reader.role <= (requiredRole[account.email_address_visibility] ?? 0);

export const deliveryEmailFor = (reader: Reader, account: Addressed): string | null =>
  canSeeAddress(reader, account) ? account.delivery_email : null;

/** `host` is the organization's. */
export const apiEmail = (account: Addressed, host: string): string =>
  isAddressPublic(account) ? account.delivery_email : placeholderEmail(account.id, host);

/** The same in SQL: `account` is the alias of a row of `users`, `host` is SQL for the organization's host. */
export const apiEmailSql = (account: string, host: string): string =>
  `case when ${account}.is_bot or ${account}.email_address_visibility = ${everybody} then ${account}.delivery_email
    else 'user' || ${account}.id || '@' || ${host} end`;

export const placeholderEmail = (userId: number, host: string): string => `user${userId}@${host}`;

/** The user id in a placeholder address of this organization. */
export function placeholderUserId(email: string, host: string): number | undefined {
  const [, id, domain] = /^user([1-9]\d{0,14})@(.+)$/i.exec(email) ?? [];
  return domain?.toLowerCase() === host.toLowerCase() ? Number(id) : undefined;
}
