import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessAdministration } from "../users/access.ts";
import { listFields, type Field } from "./queries.ts";

/**
 * The organization's fields in order, for an administrator who changes them. Locks the organization, so that concurrent
 * changes wait and each event matches the stored order.
 */
export async function accessFieldsForUpdate(tx: Tx, user: User): Promise<Field[]> {
  accessAdministration(user);
  await tx.selectFrom("realms").select("id").where("id", "=", user.realm_id).forNoKeyUpdate().execute();
  return listFields(tx, user.realm_id);
}

export const fieldNotFound = (id: number) => new ApiError(`Field id ${id} not found.`);
