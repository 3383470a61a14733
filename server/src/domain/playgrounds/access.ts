import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";

/**
 * For an administrator who changes playgrounds. Whoever else does waits until this transaction ends, so that what
 * everybody is told last is what is stored.
 */
export async function accessPlaygroundsForUpdate(tx: Tx, user: User): Promise<void> {
  if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  await tx.selectFrom("realms").select("id").where("id", "=", user.realm_id).forNoKeyUpdate().execute();
}
