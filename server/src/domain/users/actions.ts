import { roles, type Role } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { emitConsent } from "../exports/events.ts";
import { settingOf, settingsOfNewcomer } from "../settings/state.ts";
import { subscribeToDefaultChannels } from "../subscriptions/actions.ts";
import { ensurePromotionIsPlanned } from "../user-groups/promotion.ts";
import { emitStandingChange } from "../user-groups/system-membership.ts";
import { rankIn } from "./access.ts";
import { emitAppearance } from "./event-shapes.ts";
import { guestsSeeing } from "./guest-view.ts";
import { refuseTakenName } from "./rename.ts";

/** Somebody to be, with a name and an address that were checked. */
export interface NewUser {
  email: string;
  full_name: string;
  /** Null for an account that cannot sign in with a password. */
  password_hash: string | null;
  role?: Role;
  /** True when left out; false for somebody whose channels were chosen for them. */
  joinsDefaultChannels?: boolean;
}

export async function addUser(tx: Tx, realm: Realm, person: NewUser): Promise<User> {
  if (realm.require_unique_names) await refuseTakenName(tx, realm, person.full_name);
  const { email, full_name, password_hash, role = roles.member } = person;
  const { email_address_visibility, settings } = settingsOfNewcomer(realm);
  const row = await tx
    .insertInto("users")
    .values({
      realm_id: realm.id,
      delivery_email: email,
      full_name,
      password_hash,
      role,
      email_address_visibility,
      settings: JSON.stringify(settings),
    })
    // Of two who want the same address at once, one finds it taken.
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(rankIn(realm).as("rank"))
    .executeTakeFirst();
  if (!row) throw new ApiError("Email is already in use.");
  const { password_hash: _, ...account } = row;
  const user: User = { ...account, realm };
  const hidden_from_guests = (await guestsSeeing(tx, realm.id, user)) !== undefined;
  emitAppearance(tx, realm.id, user, { hidden_from_guests });
  emitConsent(tx, user, settingOf(user, "allow_private_data_export"));
  await emitStandingChange(tx, user, undefined, user);
  await ensurePromotionIsPlanned(tx, realm);
  if (person.joinsDefaultChannels ?? true) await subscribeToDefaultChannels(tx, user);
  return user;
}
