/**
 * Two addresses a user: the real one, which mail goes to and which signs in, and the one the API knows the user by.
 * The second is the real one only where everybody may see it; else it is a stand-in, the same for every reader.
 */
import { roles, type Role } from "@skein/api/users.ts";

/** What decides about the addresses of an account. */
export interface Addressed {
  id: number;
  delivery_email: string;
  email_address_visibility: number;
  is_bot: boolean;
}

/** Who reads. */
export interface Reader {
  id: number;
  role: number;
}

const everybody = 1;

/** By visibility, the role from which on one sees the real address. Mightier roles have smaller numbers. */
const leastRole: Record<number, number> = {
  [everybody]: roles.guest,
  2: roles.member,
  3: roles.administrator,
  5: roles.moderator,
};

/** The roles whose holders see the real address under this visibility; the user sees it in any case. */
export const rolesSeeingAddress = (visibility: number): Role[] =>
  Object.values(roles).filter((role) => role <= (leastRole[visibility] ?? 0));

/** A bot's address is nobody's secret. */
export const isAddressPublic = (account: Addressed): boolean =>
  account.is_bot || account.email_address_visibility === everybody;

export const canSeeAddress = (reader: Reader, account: Addressed): boolean =>
  reader.id === account.id ||
  isAddressPublic(account) ||
  reader.role <= (leastRole[account.email_address_visibility] ?? 0);

export const deliveryEmailFor = (reader: Reader, account: Addressed): string | null =>
  canSeeAddress(reader, account) ? account.delivery_email : null;

/** `host` is the organization's. */
export const apiEmail = (account: Addressed, host: string): string =>
  isAddressPublic(account) ? account.delivery_email : standInEmail(account.id, host);

/** The same in SQL: `account` is the alias of a row of `users`, `host` is SQL for the organization's host. */
export const apiEmailSql = (account: string, host: string): string =>
  `case when ${account}.is_bot or ${account}.email_address_visibility = ${everybody} then ${account}.delivery_email
    else 'user' || ${account}.id || '@' || ${host} end`;

export const standInEmail = (userId: number, host: string): string => `user${userId}@${host}`;

/** The user a stand-in address of this organization means. */
export function standInUserId(email: string, host: string): number | undefined {
  const [, id, domain] = /^user([1-9]\d{0,14})@(.+)$/i.exec(email) ?? [];
  return domain?.toLowerCase() === host.toLowerCase() ? Number(id) : undefined;
}

const maxEmailLength = 254;
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
/** The forms in use: no quotes, no comments, and a domain with a dot unless it is the machine itself. */
const emailForm = new RegExp(`^${atom}(?:\\.${atom})*@(?:localhost|${label}(?:\\.${label})+)$`, "i");

export const isEmail = (text: string): boolean => text.length <= maxEmailLength && emailForm.test(text);
