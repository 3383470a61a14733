/** Who may see and make users. Whoever may not see one hears the same as if there were none. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { canSeeAddress, standInUserId } from "./email.ts";
import { accountColumns, type Account } from "./queries.ts";

const noSuchUser = () => new ApiError("No such user");

const people = (db: Db, reader: User) =>
  db
    .selectFrom("users")
    .select(accountColumns)
    .where("realm_id", "=", reader.realm_id)
    .where("is_system_bot", "=", false);

export async function accessUserById(db: Db, reader: User, id: number): Promise<Account> {
  const account = await people(db, reader).where("id", "=", id).executeTakeFirst();
  if (!account) throw noSuchUser();
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
  if (!account) throw noSuchUser();
  return account;
}

/** Throws unless this account may make others. */
export function accessUserCreation(user: User): void {
  if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  if (!user.can_create_users) throw new ApiError("User not authorized to create users");
}

/** SQL for the rank of a row of `users`. */
export const rankIn = (realm: Realm) => sql<number>`rank_of(role, date_joined, ${realm.waiting_period_threshold})`;

/** What a change of an account's standing needs to know of it. */
export interface LockedAccount {
  id: number;
  realm_id: number;
  role: number;
  rank: number;
  is_active: boolean;
}

/** The account, locked until the transaction ends, for whoever runs the server. */
export async function lockAccount(tx: Tx, realm: Realm, id: number): Promise<LockedAccount> {
  const account = await tx
    .selectFrom("users")
    .select(["id", "realm_id", "role", "is_active", rankIn(realm).as("rank")])
    .where("realm_id", "=", realm.id)
    .where("id", "=", id)
    .where("is_system_bot", "=", false)
    .forUpdate()
    .executeTakeFirst();
  if (!account) throw noSuchUser();
  return account;
}

/** Throws when this is the only owner: an organization must not be left without one. */
export async function refuseOnlyOwner(tx: Tx, account: LockedAccount): Promise<void> {
  if (account.role !== roles.owner || !account.is_active) return;
  // All owners are locked, so that of two who leave at once the second finds the first gone.
  const owners = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", account.realm_id)
    .where("role", "=", roles.owner)
    .where("is_active", "=", true)
    .orderBy("id")
    .forUpdate()
    .execute();
  if (!owners.some(({ id }) => id !== account.id))
    throw new ApiError("The owner permission cannot be removed from the only organization owner.");
}
