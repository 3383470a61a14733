/** Permissions to see, create and change users. An invisible user gives the same error as a nonexistent one. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { canSeeAddress, placeholderUserId } from "./email.ts";
import { visibilityFor } from "./guest-view.ts";
import { accountColumns, type Account } from "./queries.ts";

export const noSuchUser = () => new ApiError("No such user");

const people = (db: Db, reader: User) =>
  db
    .selectFrom("users")
    .select(accountColumns)
    .where("realm_id", "=", reader.realm_id)
    .where("is_system_bot", "=", false);

export async function accessUserById(db: Db, reader: User, id: number): Promise<Account> {
  const account = await people(db, reader).where("id", "=", id).executeTakeFirst();
  if (!account || !(await visibilityFor(db, reader))(account)) throw noSuchUser();
  return account;
}

/** By the real address if the reader may see it, or by the placeholder address. */
export async function accessUserByEmail(db: Db, reader: User, email: string, host: string): Promise<Account> {
  const placeholderId = placeholderUserId(email, host);
  const found = await people(db, reader)
    .where((where) =>
      where.or([
        where(where.fn("lower", ["delivery_email"]), "=", email.toLowerCase()),
        where("id", "=", placeholderId ?? null),
      ]),
    )
    .execute();
  const isReal = (account: Account) => account.delivery_email.toLowerCase() === email.toLowerCase();
  const account =
    found.find((candidate) => isReal(candidate) && canSeeAddress(reader, candidate)) ??
    found.find((candidate) => candidate.id === placeholderId);
  if (!account || !(await visibilityFor(db, reader))(account)) throw noSuchUser();
  return account;
}

/** Throws unless this account may create users. */
export function accessUserCreation(user: User): void {
  accessAdministration(user);
  if (!user.can_create_users) throw new ApiError("User not authorized to create users");
}

export function accessAdministration(user: User): void {
  if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
}

/** SQL for the rank of a row of `users`. */
export const rankIn = (realm: Realm) => sql<number>`rank_of(role, date_joined, ${realm.waiting_period_threshold})`;

/** An account about to be changed, locked until the transaction ends. */
export type LockedAccount = Account & { realm_id: number; rank: number };

/**
 * The account, without a permission check. Locks the organization too, so that changes of roles are serialized and each
 * is checked against the result of the previous one.
 */
export async function lockAccount(tx: Tx, realm: Realm, id: number): Promise<LockedAccount> {
  await tx.selectFrom("realms").select("id").where("id", "=", realm.id).forNoKeyUpdate().execute();
  const account = await tx
    .selectFrom("users")
    .select([...accountColumns, "realm_id", rankIn(realm).as("rank")])
    .where("realm_id", "=", realm.id)
    .where("id", "=", id)
    .where("is_system_bot", "=", false)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!account) throw noSuchUser();
  return account;
}

/** Throws unless this account may change other users. */
export function accessUserUpdate(user: User): void {
  if (user.role > roles.administrator) throw insufficientPermission();
}

/** The account, for a user who is still an administrator after the lock was acquired. */
export async function accessUserForUpdate(tx: Tx, actor: User, id: number): Promise<LockedAccount> {
  accessUserUpdate(actor);
  const account = await lockAccount(tx, actor.realm, id);
  await refuseStale(tx, actor);
  return account;
}

/** The actor may have lost the permission while waiting for the lock; then the request is retried from the start. */
export async function refuseStale(tx: Tx, actor: User): Promise<void> {
  const { version } = await tx
    .selectFrom("users")
    .select("version")
    .where("id", "=", actor.id)
    .executeTakeFirstOrThrow();
  if (version !== actor.version) throw new StaleSession();
}

/** Whether a user must not touch an account of this role: only owners may touch owners. */
export const isOutOfReach = ({ role }: Pick<User, "role">, accountRole: number): boolean =>
  accountRole === roles.owner && role !== roles.owner;

/** Throws unless the actor may grant or revoke these roles, or deactivate accounts that have them. */
export function accessOwnership(actor: User, ...affected: number[]): void {
  if (affected.some((role) => isOutOfReach(actor, role))) throw new ApiError("Must be an organization owner");
}

/** Whether this locked account is the organization's only human owner. */
export async function isOnlyOwner(tx: Tx, account: LockedAccount): Promise<boolean> {
  if (account.role !== roles.owner || !account.is_active || account.is_bot) return false;
  const other = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", account.realm_id)
    .where("role", "=", roles.owner)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .where("id", "<>", account.id)
    .limit(1)
    .executeTakeFirst();
  return other === undefined;
}
