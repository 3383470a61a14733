import type { Linkifier } from "@skein/api/linkifiers.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { listLinkifiers } from "./queries.ts";

/**
 * The organization's linkifiers in order, for an administrator who changes them. Locks the organization, so that
 * concurrent changes wait and each event matches the stored order.
 */
export async function accessLinkifiersForUpdate(tx: Tx, user: User): Promise<Linkifier[]> {
  if (user.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  await tx.selectFrom("realms").select("id").where("id", "=", user.realm_id).forNoKeyUpdate().execute();
  return listLinkifiers(tx, user.realm_id);
}

export async function accessLinkifierForUpdate(tx: Tx, user: User, id: number): Promise<Linkifier> {
  const linkifiers = await accessLinkifiersForUpdate(tx, user);
  const linkifier = linkifiers.find((one) => one.id === id);
  if (!linkifier) throw new ApiError("Linkifier not found.");
  return linkifier;
}
