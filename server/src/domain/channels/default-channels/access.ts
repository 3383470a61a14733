import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAdministrator } from "../access.ts";

/** Serializes changes, because each event lists all default channels. */
export async function lockDefaultChannels(tx: Tx, realmId: number): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realmId).forNoKeyUpdate().execute();
}

/** For an administrator who changes them; concurrent changes wait until this transaction ends. */
export async function accessDefaultChannelsForUpdate(tx: Tx, user: User): Promise<void> {
  if (!isAdministrator(user)) throw new ApiError("Must be an organization administrator");
  await lockDefaultChannels(tx, user.realm_id);
}
