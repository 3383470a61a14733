/**
 * The audience of events about a user: those who can see the user. Where guests see only some users, the guests who see
 * this one are listed by id; all other users see everyone.
 */
import { roles, type Role } from "@skein/api/users.ts";
import { toEveryone, type Audience } from "../../../events/audience.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { guestsSeeing, type Seen } from "./guest-view.ts";

const allRoles: readonly Role[] = Object.values(roles);

/** The users who can see this one; with `among`, only those with these roles. */
export async function toUsersSeeing(
  db: Db,
  realm: { id: number },
  user: Seen,
  among: readonly Role[] = allRoles,
): Promise<Audience> {
  const guests = among.includes(roles.guest) ? await guestsSeeing(db, realm.id, user) : undefined;
  if (guests) return { roles: among.filter((role) => role !== roles.guest), users: guests };
  return among === allRoles ? toEveryone : { roles: among };
}

/** Everyone except guests, plus these guests; undefined means all guests (see guestsSeeing). */
export const toMembersAnd = (guests: number[] | undefined): Audience =>
  guests ? { nonGuests: true, users: guests } : toEveryone;
