/**
 * Changes of an account's address and of who sees it. Everybody is told what changed for them: the real address those
 * who see it now, its disappearance those who no longer do, and all who see the account the address the API knows it by
 * and the picture that is worked out from it.
 */
import { ApiError } from "../../errors.ts";
import type { Audience } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { toThoseSeeing } from "./audience.ts";
import type { Pictured } from "./avatar.ts";
import { isAddressPublic, isEmail, rolesSeeingAddress } from "./email.ts";
import { emitApiEmail, emitAvatar } from "./event-shapes.ts";

/** The account is locked, and may have another address; whether it may have this one is judged here. */
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
  const told = await toThoseSeeing(tx, realm, account, seeing);
  emitDeliveryEmail(tx, realm.id, account.id, withUser(told, account.id), email);
  if (isAddressPublic(changed)) await emitWhatFollows(tx, realm, changed);
}

/** Of two who want the same address at once, one finds it taken. */
const isTaken = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "23505";

const withUser = (audience: Audience, userId: number): Audience => ({
  ...audience,
  users: [...(audience.users ?? []), userId],
});

/** For the user's own choice, the account being locked; the news of the setting itself is the settings' business. */
export async function changeEmailVisibility(tx: Tx, user: User, visibility: number): Promise<void> {
  if (visibility === user.email_address_visibility) return;
  await tx.updateTable("users").set({ email_address_visibility: visibility }).where("id", "=", user.id).execute();
  if (user.is_bot) return;
  const before = rolesSeeingAddress(user.email_address_visibility);
  const after = rolesSeeingAddress(visibility);
  const gaining = after.filter((role) => !before.includes(role));
  const losing = before.filter((role) => !after.includes(role));
  const others = async (among: typeof after) => ({
    ...(await toThoseSeeing(tx, user.realm, user, among)),
    except: [user.id],
  });
  if (gaining.length > 0) emitDeliveryEmail(tx, user.realm_id, user.id, await others(gaining), user.delivery_email);
  if (losing.length > 0) emitDeliveryEmail(tx, user.realm_id, user.id, await others(losing), null);
  const changed = { ...user, email_address_visibility: visibility };
  if (isAddressPublic(user) !== isAddressPublic(changed)) await emitWhatFollows(tx, user.realm, changed);
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

async function emitWhatFollows(tx: Tx, realm: Realm, account: Pictured): Promise<void> {
  const seeing = await toThoseSeeing(tx, realm, account);
  emitApiEmail(tx, realm.id, account, seeing);
  if (account.avatar_source === "G") emitAvatar(tx, realm.id, account, seeing);
}
