/**
 * Who must have a second factor, by the organization's setting.
 *
 * **Invariant:** an account that must have one and has none is in no browser's session, except in those that began at an
 * identity provider, which is responsible for them. Whatever could break this (a new session, a stricter setting, a
 * promotion, a factor that is removed) locks the head of the audit log first, so that each sees what the others have done.
 */
import type { SecondFactorRequirement } from "@skein/api/realm.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { lockHead } from "../../organization/audit/record.ts";
import type { AuthenticatedAccount } from "../auth/password-login.ts";
import type { FactorHolder } from "./holder.ts";
import { factorsOf, isProtected } from "./use-code.ts";

/** The role with the fewest permissions that must have one. */
const lastRoles: Record<SecondFactorRequirement, number> = {
  nobody: 0,
  owners: roles.owner,
  administrators: roles.administrator,
  moderators: roles.moderator,
  members: roles.member,
  everyone: roles.guest,
};

type Requiring = Pick<Realm, "second_factor_required_for">;

/** The column holds no other values. */
export const requirementOf = (realm: Requiring): SecondFactorRequirement =>
  realm.second_factor_required_for as SecondFactorRequirement;

const lastRoleOf = (realm: Requiring): number => lastRoles[requirementOf(realm)];

/** Whether the account must have a second factor, as the database has it now. */
async function mustHaveFactor(db: Db, { id, realm_id }: FactorHolder): Promise<boolean> {
  const found = await db
    .selectFrom("users as u")
    .innerJoin("realms as r", "r.id", "u.realm_id")
    .select(["u.role", "r.second_factor_required_for"])
    .where("u.realm_id", "=", realm_id)
    .where("u.id", "=", id)
    .where("u.is_bot", "=", false)
    .executeTakeFirst();
  return found !== undefined && found.role <= lastRoleOf(found);
}

/** Whether the account must have a second factor, and has none. */
export const lacksFactor = async (db: Db, holder: FactorHolder): Promise<boolean> =>
  (await mustHaveFactor(db, holder)) && !isProtected(await factorsOf(db, holder));

/** Where one is set up after the password. */
export const setUpPath = "/accounts/login/set_up_second_factor";

/** `origin`: the URL that the client used, without a path. `path`: where to begin. */
export const setUpRequired = (
  origin: string,
  { status = 401, path = "/login/" }: { status?: 400 | 401; path?: string } = {},
) =>
  new ApiError(`Your organization requires a second factor. Sign in at ${origin}/login/ in a browser to set one up`, {
    code: "SECOND_FACTOR_SETUP_REQUIRED",
    status,
    data: { setup_url: `${origin}${path}` },
  });

/**
 * Whether somebody else is responsible for how the person signs in: an identity provider, or a program trusted by the server.
 * An LDAP directory only compares passwords.
 */
const isVouchedFor = ({ providerSession, method = "" }: AuthenticatedAccount): boolean =>
  method === "token" || (providerSession !== undefined && !method.startsWith("ldap:"));

/** Call first in every transaction that ends a sign-in with a session or a key. Throws if the account lacks a second factor. */
export async function refuseWithoutFactor(
  tx: Tx,
  account: AuthenticatedAccount,
  { origin }: { origin: string },
): Promise<void> {
  await lockHead(tx, account.realm_id);
  if (!isVouchedFor(account) && (await lacksFactor(tx, account))) throw setUpRequired(origin);
}

/** Call after a factor was removed by the account itself. Throws if it must have one, and this was the last. */
export async function refuseRemovalOfLast(tx: Tx, user: FactorHolder): Promise<void> {
  if (await lacksFactor(tx, user))
    throw new ApiError("Your organization requires a second factor. Set up another one before you remove this one.");
}

/** As the database has it now. */
const getLastRole = async (db: Db, realmId: number): Promise<number> =>
  lastRoleOf(
    await db
      .selectFrom("realms")
      .select("second_factor_required_for")
      .where("id", "=", realmId)
      .executeTakeFirstOrThrow(),
  );

/** Call after the setting was changed, inside revoke(); `before` is the organization as it was. */
export async function enforceRequirement(tx: Tx, actor: User, before: Realm): Promise<void> {
  if ((await getLastRole(tx, before.id)) <= lastRoleOf(before)) return;
  if (!isProtected(await factorsOf(tx, actor)))
    throw new ApiError("Set up a second factor for your own account before you require them.");
  await endUnprotectedSessions(tx, before.id);
}

/**
 * Ends sessions of accounts that must have a second factor and have none: of all of them, or of one. Must run inside
 * revoke(). The next sign-in sets one up.
 */
export async function endUnprotectedSessions(tx: Tx, realmId: number, userId?: number): Promise<void> {
  const lastRole = await getLastRole(tx, realmId);
  if (lastRole === lastRoles.nobody) return;
  await sql`
    delete from browser_sessions s using users u
    where s.realm_id = ${realmId} and u.id = s.user_id and u.role <= ${lastRole}
      and (${userId ?? null}::bigint is null or u.id = ${userId ?? null})
      and not exists (select from totp_secrets t where t.user_id = u.id and t.confirmed_at is not null)
      and not exists (select from passkeys p where p.user_id = u.id)
      and not exists (
        select from provider_sessions p join identity_providers i on i.id = p.provider_id
        where p.session_id = s.id and i.kind <> 'ldap')`.execute(tx);
}
