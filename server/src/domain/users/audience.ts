/**
 * Who hears of a user: those who can see the user at all. Where guests see only some people, the guests who do are
 * named; everybody else sees everybody.
 */
import { roles, type Role } from "@skein/api/users.ts";
import { toEveryone, type Audience } from "../../events/audience.ts";
import type { Db } from "../../platform/db/connect.ts";
import { guestsSeeing, type Seen } from "./guest-view.ts";

const allRoles: readonly Role[] = Object.values(roles);

/** Those who can see the user; of some roles only, when these are given. */
export async function toThoseSeeing(
  db: Db,
  realm: { id: number },
  user: Seen,
  among: readonly Role[] = allRoles,
): Promise<Audience> {
  const guests = among.includes(roles.guest) ? await guestsSeeing(db, realm.id, user) : undefined;
  if (guests) return { roles: among.filter((role) => role !== roles.guest), users: guests };
  return among === allRoles ? toEveryone : { roles: among };
}

/** Everybody who is no guest, and these guests; where guests see everybody (see guestsSeeing) all of them. */
export const toMembersAnd = (guests: number[] | undefined): Audience =>
  guests ? { nonGuests: true, users: guests } : toEveryone;
