/**
 * Changing an organization's names, by the operator. The display name is a setting like any other. Credentials are valid at
 * the organization's host name only, so after a change of that name people sign in again at the new one.
 */
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { checkHost, checkRealmName, checkShortName, refuseTakenNames } from "../../organization/realm/name.ts";
import { lockRealm } from "./update.ts";

export interface RealmNames {
  name?: string;
  string_id?: string;
  /** Null: it serves every host name that no other organization has. */
  host?: string | null;
}

export async function renameRealm(tx: Tx, { id }: Pick<Realm, "id">, given: RealmNames): Promise<Realm> {
  const names: RealmNames = {
    ...(given.name === undefined ? {} : { name: checkRealmName(given.name) }),
    ...(given.string_id === undefined ? {} : { string_id: checkShortName(given.string_id) }),
    ...(given.host === undefined ? {} : { host: given.host === null ? null : checkHost(given.host) }),
  };
  const before = await lockRealm(tx, id);
  await refuseTakenNames(tx, names, id);
  if (Object.keys(names).length === 0) return before;
  const after = await tx.updateTable("realms").set(names).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  if (after.name !== before.name)
    emit(tx, id, toEveryone, { type: "realm", op: "update", property: "name", value: after.name });
  return after;
}
