/** Looks up the organization and the account that a command names. */
import { roles, type Role } from "@skein/api/users.ts";
import type { Selectable } from "kysely";
import type { Realm } from "../identity/account.ts";
import type { Db } from "../platform/db/connect.ts";
import type { UsersTable } from "../platform/db/schema.ts";
import { UsageError } from "./command.ts";

export const realmOption = {
  type: "string",
  value: "SHORT_NAME",
  description: "The organization's short name. Not needed if there is only one.",
} as const;

/** The organization with this short name, or the only one there is. */
export async function findOrganization(db: Db, shortName: string | undefined): Promise<Realm> {
  const realms = await db.selectFrom("realms").selectAll().orderBy("id").execute();
  if (realms.length === 0) throw new Error("There is no organization yet. Create one with `skein realm create`.");
  const names = realms.map((realm) => realm.string_id).join(", ");
  const chosen = shortName === undefined ? realms : realms.filter((realm) => realm.string_id === shortName);
  const [realm, second] = chosen;
  if (!realm) throw new Error(`Unknown organization ${shortName}. Choose one of: ${names}.`);
  if (second) throw new UsageError(`There are several organizations. Choose one with --realm: ${names}.`);
  return realm;
}

/** How commands name the argument that findAccount() reads. */
export const userArgument = "USER";
export const userDetails = "USER is an e-mail address or an ID (`skein user list`).";

/** By e-mail address or by ID. */
export async function findAccount(db: Db, realm: Realm, given: string): Promise<Selectable<UsersTable>> {
  const account = await db
    .selectFrom("users")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where((where) =>
      /^\d{1,15}$/.test(given)
        ? where("id", "=", Number(given))
        : where(where.fn("lower", ["delivery_email"]), "=", given.toLowerCase()),
    )
    .executeTakeFirst();
  const kind = /^\d+$/.test(given) ? "ID" : "e-mail address";
  if (!account) throw new Error(`No account in ${realm.name} has the ${kind} ${given}.`);
  if (account.is_system_bot) throw new Error(`${given} is one of the server's own accounts.`);
  return account;
}

export const roleNames = Object.keys(roles).join(", ");

export function readRole(name: string): Role {
  const found = Object.entries(roles).find(([known]) => known === name);
  if (!found) throw new UsageError(`Unknown role ${name}. Choose one of: ${roleNames}.`);
  return found[1];
}
