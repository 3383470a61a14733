/**
 * Changes an account's e-mail address and its visibility. Each user is notified of what changed for them: the real address
 * if they can see it now, its removal if they no longer can. All who see the account are notified of its API address and
 * of the avatar derived from it.
 */
import { ApiError } from "../../../errors.ts";
import type { Audience } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toUsersSeeing } from "./audience.ts";
import type { Pictured } from "./avatar.ts";
import { isAddressPublic, rolesSeeingAddress } from "./email.ts";
import { isEmail } from "../../base/email-address.ts";
import { emitApiEmail, emitAvatar } from "./event-shapes.ts";

/** The caller has locked the account and checked that its address may change; the new address is validated here. */
export async function changeEmail(tx: Tx, realm: Realm, account: Pictured, email: string): Promise<void> {
  if (email === account.delivery_email) return;
  if (!isEmail(email)) throw new ApiError("Invalid address.");
  try {
    await tx.updateTable("users").set({ delivery_email: email }).where("id", "=", account.id).execute();
  } catch (error) {
    throw isTaken(error) ? new ApiError("Email is already in use.") : error;
  }
  const changed = { ...account, delivery_email: email };
  const seeing = account.is_bot ? undefined : rolesSeeingAddress(account.email_address_visibility);
  const audience = await toUsersSeeing(tx, realm, account, seeing);
  emitDeliveryEmail(tx, realm.id, account.id, withUser(audience, account.id), email);
  if (isAddressPublic(changed)) await emitDerivedFields(tx, realm, changed);
}

/** A unique violation: a concurrent change took the same address. */
const isTaken = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "23505";

const withUser = (audience: Audience, userId: number): Audience => ({
  ...audience,
  users: [...(audience.users ?? []), userId],
});

/** The caller has locked the account and emits the event about the setting itself. */
export async function changeEmailVisibility(tx: Tx, user: User, visibility: number): Promise<void> {
  if (visibility === user.email_address_visibility) return;
  await tx.updateTable("users").set({ email_address_visibility: visibility }).where("id", "=", user.id).execute();
  if (user.is_bot) return;
  const before = rolesSeeingAddress(user.email_address_visibility);
  const after = rolesSeeingAddress(visibility);
  const gaining = after.filter((role) => !before.includes(role));
  const losing = before.filter((role) => !after.includes(role));
  const others = async (among: typeof after) => ({
    ...(await toUsersSeeing(tx, user.realm, user, among)),
    except: [user.id],
  });
  if (gaining.length > 0) emitDeliveryEmail(tx, user.realm_id, user.id, await others(gaining), user.delivery_email);
  if (losing.length > 0) emitDeliveryEmail(tx, user.realm_id, user.id, await others(losing), null);
  const changed = { ...user, email_address_visibility: visibility };
  if (isAddressPublic(user) !== isAddressPublic(changed)) await emitDerivedFields(tx, user.realm, changed);
}

export function emitDeliveryEmail(
  tx: Tx,
  realmId: number,
  userId: number,
  audience: Audience,
  deliveryEmail: string | null,
): void {
  const person = { user_id: userId, delivery_email: deliveryEmail };
  emit(tx, realmId, audience, { type: "realm_user", op: "update", person });
}

async function emitDerivedFields(tx: Tx, realm: Realm, account: Pictured): Promise<void> {
  const seeing = await toUsersSeeing(tx, realm, account);
  emitApiEmail(tx, realm.id, account, seeing);
  if (account.avatar_source === "G") emitAvatar(tx, realm.id, account, seeing);
}
