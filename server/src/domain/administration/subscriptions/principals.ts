/** The users that a subscription request is about. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { canSeeAddress, isAddressPublic, placeholderUserId } from "../../people/users/email.ts";
import { visibilityFor } from "../../people/users/guest-view.ts";
import type { Principal } from "../../channels/subscriptions/access.ts";

interface Candidate extends Principal {
  delivery_email: string;
  email_address_visibility: number;
  is_active: boolean;
}

/** The named users without duplicates, or the caller if none are named. All must be active. `host` is the realm's. */
export async function accessPrincipals(
  db: Db,
  user: User,
  named: readonly number[] | readonly string[] | undefined,
  host: string,
): Promise<Principal[]> {
  if (named === undefined || named.length === 0) return [user];
  const ids: number[] = [];
  const emails: string[] = [];
  for (const name of named) {
    if (typeof name === "number") ids.push(name);
    else emails.push(name.toLowerCase());
  }
  const candidates = await findCandidates(
    db,
    user,
    [...ids, ...emails.flatMap((email) => placeholderUserId(email, host) ?? [])],
    emails,
  );
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const byEmail = new Map(
    candidates
      .filter((known) => canSeeAddress(user, known))
      .map((known) => [known.delivery_email.toLowerCase(), known]),
  );
  const standIn = (email: string) => {
    const meant = byId.get(placeholderUserId(email, host) ?? 0);
    return meant && !isAddressPublic(meant) ? meant : undefined;
  };
  const found = [...ids.map((id) => byId.get(id)), ...emails.map((email) => byEmail.get(email) ?? standIn(email))];
  const principals = new Map<number, Principal>();
  for (const candidate of found) {
    if (!candidate) throw new ApiError("No such user");
    if (!candidate.is_active) throw new ApiError("User is deactivated");
    principals.set(candidate.id, candidate);
  }
  return [...principals.values()];
}

async function findCandidates(
  db: Db,
  user: User,
  ids: readonly number[],
  emails: readonly string[],
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select id, bot_owner_id, delivery_email, email_address_visibility, is_bot, is_active from users
    where realm_id = ${user.realm_id} and not is_system_bot
      and (id = any(${ids}::bigint[]) or lower(delivery_email) = any(${emails}::text[]))`.execute(db);
  return rows.filter(await visibilityFor(db, user));
}
