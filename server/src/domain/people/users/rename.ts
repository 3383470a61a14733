import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { emitBotChange } from "../bots/events.ts";
import { toUsersSeeing } from "./audience.ts";
import { checkFullName } from "./full-name.ts";

interface Named {
  id: number;
  is_bot: boolean;
  bot_owner_id: number | null;
  full_name: string;
}

/** The caller has checked that the account may be renamed; the name itself is validated here. */
export async function changeFullName(tx: Tx, realm: Realm, account: Named, given: string): Promise<void> {
  const full_name = checkFullName(given);
  if (full_name === account.full_name) return;
  if (realm.require_unique_names) await refuseTakenName(tx, realm, full_name, account.id);
  await tx.updateTable("users").set({ full_name }).where("id", "=", account.id).execute();
  const person = { user_id: account.id, full_name };
  emit(tx, realm.id, await toUsersSeeing(tx, realm, account), { type: "realm_user", op: "update", person });
  if (account.is_bot) emitBotChange(tx, { ...account, realm_id: realm.id }, { full_name });
}

/** Locks the organization, so that concurrent changes of names wait. `except` is the user who may keep the name. */
export async function refuseTakenName(tx: Tx, realm: Realm, fullName: string, except = 0): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realm.id).forNoKeyUpdate().execute();
  const { rows } = await sql`
    select from users
    where realm_id = ${realm.id} and lower(full_name) = ${fullName.toLowerCase()} and id <> ${except} limit 1`.execute(
    tx,
  );
  if (rows.length > 0) throw new ApiError("Unique names required in this organization.");
}
