import { roles, type Role } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { emitConsent } from "../../people/settings/export-consent.ts";
import { settingOf, settingsForNewUser } from "../../people/settings/state.ts";
import { subscribeToDefaultChannels } from "../subscriptions/actions.ts";
import { ensurePromotionIsScheduled } from "../user-groups/promotion.ts";
import { emitSystemMembership } from "../../people/user-groups/system-membership.ts";
import { rankIn } from "../../people/users/access.ts";
import { defaultAvatarSource } from "../../people/users/avatar.ts";
import { emitUserAdded } from "../../people/users/event-shapes.ts";
import { guestsSeeing } from "../../people/users/guest-view.ts";
import { refuseTakenName } from "../../people/users/rename.ts";

/** Its name and e-mail address have been checked. */
export interface NewUser {
  email: string;
  full_name: string;
  /** Null for an account that cannot sign in with a password. */
  password_hash: string | null;
  role?: Role;
  /** Defaults to true; false for a newcomer whose channels were chosen by an inviter. */
  joinsDefaultChannels?: boolean;
  /** Whether an import makes it, until somebody signs in. */
  isStub?: boolean;
}

export async function addUser(tx: Tx, realm: Realm, person: NewUser): Promise<User> {
  if (realm.require_unique_names) await refuseTakenName(tx, realm, person.full_name);
  const { email, full_name, password_hash, role = roles.member } = person;
  const { email_address_visibility, settings } = settingsForNewUser(realm);
  const row = await tx
    .insertInto("users")
    .values({
      realm_id: realm.id,
      delivery_email: email,
      full_name,
      password_hash,
      role,
      avatar_source: defaultAvatarSource(realm),
      email_address_visibility,
      settings: JSON.stringify(settings),
      is_imported_stub: person.isStub ?? false,
    })
    // If two requests use the same address at once, one fails.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(rankIn(realm).as("rank"))
    .executeTakeFirst();
  if (!row) throw new ApiError("Email is already in use.");
  const { password_hash: _, ...account } = row;
  const user: User = { ...account, realm };
  const hidden_from_guests = (await guestsSeeing(tx, realm.id, user)) !== undefined;
  emitUserAdded(tx, realm.id, user, { hidden_from_guests });
  emitConsent(tx, user, settingOf(user, "allow_private_data_export"));
  await emitSystemMembership(tx, user, undefined, user);
  await ensurePromotionIsScheduled(tx, realm);
  if (person.joinsDefaultChannels ?? true) await subscribeToDefaultChannels(tx, user);
  return user;
}
