/** What an administrator deletes of an account, and of the bots it owns, when deactivating it. */
import type { DeactivationActions } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { enqueue } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { planDeletion } from "../../messages/deletion/delete-sent.ts";
import { removeStored } from "../../messages/uploads/jobs.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";
import { setAvatar } from "../../people/avatars/actions.ts";
import { avatarKeys } from "../../people/avatars/file.ts";
import type { LockedAccount } from "../../people/users/access.ts";
import { accountColumns, type Account } from "../../people/users/queries.ts";
import { changeFullName } from "../../people/users/rename.ts";

const deletedName = "Deleted user";

/** The account is locked and still active. */
export async function deleteData(
  tx: Tx,
  actor: User,
  account: LockedAccount,
  actions: DeactivationActions,
): Promise<void> {
  const how = {
    realmId: actor.realm_id,
    actorId: actor.id,
    publicChannels: actions.delete_public_channel_messages ?? false,
    privateChannels: actions.delete_private_channel_messages ?? false,
    directMessages: actions.delete_direct_messages ?? false,
  };
  const deletesMessages = how.publicChannels || how.privateChannels || how.directMessages;
  if (deletesMessages && !(await heldRealmPermissions(tx, actor, ["can_delete_any_message_group"])).size)
    throw new ApiError("You do not have permission to delete messages.");
  if (!deletesMessages && !actions.delete_profile) return;
  const accounts: Account[] = [...(await listBotsOf(tx, account)), account];
  if (actions.delete_profile) for (const one of accounts) await deleteProfile(tx, actor, one);
  if (deletesMessages)
    await planDeletion(
      tx,
      accounts.map(({ id }) => id),
      how,
    );
}

const listBotsOf = (tx: Tx, { id, realm_id }: LockedAccount): Promise<Account[]> =>
  tx
    .selectFrom("users")
    .select(accountColumns)
    .where("realm_id", "=", realm_id)
    .where("bot_owner_id", "=", id)
    .where("is_active", "=", true)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();

async function deleteProfile(tx: Tx, { realm }: User, account: Account): Promise<void> {
  await changeFullName(tx, { ...realm, require_unique_names: false }, account, deletedName);
  const { replaced } = await setAvatar(tx, { id: account.id, realm_id: realm.id }, null);
  if (replaced !== null) await enqueue(tx, removeStored, { keys: avatarKeys(replaced) });
}
