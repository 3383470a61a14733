import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/**
 * For an administrator who changes playgrounds. Locks the organization, so that concurrent changes wait and the last
 * event matches the stored state.
 */
export async function accessPlaygroundsForUpdate(tx: Tx, user: User): Promise<void> {
  if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  await tx.selectFrom("realms").select("id").where("id", "=", user.realm_id).forNoKeyUpdate().execute();
}
