import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { isAdministrator } from "../channels/access.ts";

/** News of default channels lists all of them, so two changes of them must see each other. */
export async function lockDefaultChannels(tx: Tx, realmId: number): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realmId).forNoKeyUpdate().execute();
}

/** Lets an administrator change them; whoever else does waits until this transaction ends. */
export async function accessDefaultChannelsForUpdate(tx: Tx, user: User): Promise<void> {
  if (!isAdministrator(user)) throw new ApiError("Must be an organization administrator");
  await lockDefaultChannels(tx, user.realm_id);
}
