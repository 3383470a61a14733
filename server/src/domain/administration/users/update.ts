/** Changes of a user by an administrator: all changes of a request, or none. */
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { roles, type updateUser as updateUserEndpoint } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { updateProfileAs } from "../../people/profile-fields/values.ts";
import { accessUserForUpdate, lockAccount } from "../../people/users/access.ts";
import { changeEmail } from "../../people/users/addresses.ts";
import { changeFullName } from "../../people/users/rename.ts";
import { changeRole } from "./role.ts";

export type UserChange = Omit<ParamsOf<typeof updateUserEndpoint>, "user_id">;

export async function updateUser(tx: Tx, actor: User, id: number, change: UserChange): Promise<void> {
  const account = await accessUserForUpdate(tx, actor, id);
  const { full_name, role, profile_data, new_email } = change;
  if (new_email !== undefined) {
    if (actor.role !== roles.owner || !actor.can_change_user_emails)
      throw new ApiError("User not authorized to change user emails");
    await changeEmail(tx, actor.realm, account, new_email);
  }
  if (role !== undefined) await changeRole(tx, actor, account, role);
  if (full_name !== undefined) await changeFullName(tx, actor.realm, account, full_name);
  if (profile_data !== undefined) await updateProfileAs(tx, actor, account, profile_data);
}

/** By the operator. */
export async function updateEmail(tx: Tx, realm: Realm, id: number, email: string): Promise<void> {
  await changeEmail(tx, realm, await lockAccount(tx, realm, id), email);
}
