/** Which organization and which account a command means. */
import { roles, type Role } from "@skein/api/users.ts";
import type { Selectable } from "kysely";
import type { Realm } from "../http/sessions.ts";
import type { Db } from "../platform/db/connect.ts";
import type { UsersTable } from "../platform/db/schema.ts";
import { UsageError } from "./command.ts";

export const realmOption = {
  type: "string",
  value: "SHORT_NAME",
  description: "The organization. Not needed where there is only one.",
} as const;

/** The organization with this short name, or the only one there is. */
export async function findOrganization(db: Db, shortName: string | undefined): Promise<Realm> {
  const realms = await db.selectFrom("realms").selectAll().orderBy("id").execute();
  if (realms.length === 0) throw new Error("There is no organization yet: make one with `npx skein realm create`.");
  const names = realms.map((realm) => realm.string_id).join(", ");
  const chosen = shortName === undefined ? realms : realms.filter((realm) => realm.string_id === shortName);
  const [realm, second] = chosen;
  if (!realm) throw new Error(`There is no organization ${shortName}; there are: ${names}.`);
  if (second) throw new UsageError(`There are several organizations, so say which with --realm: ${names}.`);
  return realm;
}

export async function findAccount(db: Db, realm: Realm, email: string): Promise<Selectable<UsersTable>> {
  const account = await db
    .selectFrom("users")
    .selectAll()
    .where("realm_id", "=", realm.id)
    .where((where) => where(where.fn("lower", ["delivery_email"]), "=", email.toLowerCase()))
    .executeTakeFirst();
  if (!account) throw new Error(`Nobody in ${realm.name} has the address ${email}.`);
  if (account.is_system_bot) throw new Error(`${email} is one of the server's own accounts.`);
  return account;
}

export const roleNames = Object.keys(roles).join(", ");

export function readRole(name: string): Role {
  const found = Object.entries(roles).find(([known]) => known === name);
  if (!found) throw new UsageError(`There is no role ${name}; there are: ${roleNames}.`);
  return found[1];
}
