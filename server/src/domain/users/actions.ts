import { roles, type Role } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { settingsOfNewcomer } from "../settings/state.ts";
import { subscribeToDefaultChannels } from "../subscriptions/actions.ts";
import { emitStandingChange } from "../user-groups/system-membership.ts";
import { rankIn } from "./access.ts";
import { emitNewUser } from "./event-shapes.ts";

/** Somebody to be, with a name and an address that were checked. */
export interface NewUser {
  email: string;
  full_name: string;
  /** Null for an account that cannot sign in with a password. */
  password_hash: string | null;
  role?: Role;
}

/** `host` is the organization's: see realmHost(). */
export async function addUser(tx: Tx, realm: Realm, host: string, person: NewUser): Promise<User> {
  if (realm.require_unique_names) await refuseTakenName(tx, realm, person.full_name);
  const { email, full_name, password_hash, role = roles.member } = person;
  const { email_address_visibility, settings } = settingsOfNewcomer(realm);
  const row = await tx
    .insertInto("users")
    .values({
      realm_id: realm.id,
      delivery_email: email,
      full_name,
      password_hash,
      role,
      email_address_visibility,
      settings: JSON.stringify(settings),
    })
    // Of two who want the same address at once, one finds it taken.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(rankIn(realm).as("rank"))
    .executeTakeFirst();
  if (!row) throw new ApiError("Email is already in use.");
  const { password_hash: _, ...account } = row;
  const user: User = { ...account, realm };
  emitNewUser(tx, realm.id, user, host);
  await emitStandingChange(tx, user, undefined, user);
  await subscribeToDefaultChannels(tx, user);
  return user;
}

/** Whoever wants a name waits here for others who do, until they have it. */
async function refuseTakenName(tx: Tx, realm: Realm, fullName: string): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realm.id).forNoKeyUpdate().execute();
  const { rows } = await sql`
    select from users where realm_id = ${realm.id} and lower(full_name) = ${fullName.toLowerCase()} limit 1`.execute(
    tx,
  );
  if (rows.length > 0) throw new ApiError("Unique names required in this organization.");
}
