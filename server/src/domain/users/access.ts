/** Who may see, make and change users. Whoever may not see one hears the same as if there were none. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError, insufficientPermission } from "../../errors.ts";
import { StaleSession, type Realm, type User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { canSeeAddress, standInUserId } from "./email.ts";
import { sightOf } from "./guest-view.ts";
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
  if (!account || !(await sightOf(db, reader))(account)) throw noSuchUser();
  return account;
}

/** By the real address where the reader may see it, or by the stand-in. */
export async function accessUserByEmail(db: Db, reader: User, email: string, host: string): Promise<Account> {
  const standsFor = standInUserId(email, host);
  const found = await people(db, reader)
    .where((where) =>
      where.or([
        where(where.fn("lower", ["delivery_email"]), "=", email.toLowerCase()),
        where("id", "=", standsFor ?? null),
      ]),
    )
    .execute();
  const isReal = (account: Account) => account.delivery_email.toLowerCase() === email.toLowerCase();
  const account =
    found.find((candidate) => isReal(candidate) && canSeeAddress(reader, candidate)) ??
    found.find((candidate) => candidate.id === standsFor);
  if (!account || !(await sightOf(db, reader))(account)) throw noSuchUser();
  return account;
}

/** Throws unless this account may make others. */
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
 * The account, for whoever runs the server. Changes of who is what in an organization wait for each other here, at its
 * row: each is judged by what the one before it left.
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

/** Throws unless this account may change others. */
export function accessUserUpdate(user: User): void {
  if (user.role > roles.administrator) throw insufficientPermission();
}

/** The account, for an administrator who still is one now that it is locked. */
export async function accessUserForUpdate(tx: Tx, actor: User, id: number): Promise<LockedAccount> {
  accessUserUpdate(actor);
  const account = await lockAccount(tx, actor.realm, id);
  await refuseStale(tx, actor);
  return account;
}

/** Who acts may have lost the right to while waiting for a lock; then the request is judged anew. */
export async function refuseStale(tx: Tx, actor: User): Promise<void> {
  const { version } = await tx
    .selectFrom("users")
    .select("version")
    .where("id", "=", actor.id)
    .executeTakeFirstOrThrow();
  if (version !== actor.version) throw new StaleSession();
}

/** Whether an account of this role is out of somebody's reach: owners are for owners. */
export const isOutOfReach = ({ role }: Pick<User, "role">, accountRole: number): boolean =>
  accountRole === roles.owner && role !== roles.owner;

/** Throws unless the actor may give, take or close an account of these roles. */
export function accessOwnership(actor: User, ...affected: number[]): void {
  if (affected.some((role) => isOutOfReach(actor, role))) throw new ApiError("Must be an organization owner");
}

/** Whether the organization would be without a human owner if it were not for this locked account. */
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
