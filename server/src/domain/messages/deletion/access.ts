/** Who may delete a message, and for how long. */
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { MessageRow } from "../send/locked-message.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";

export async function accessDeletion(tx: Tx, user: User, message: MessageRow): Promise<void> {
  const held = await heldRealmPermissions(tx, user, ["can_delete_any_message_group", "can_delete_own_message_group"]);
  if (held.has("can_delete_any_message_group")) return;
  if (!held.has("can_delete_own_message_group") || !(await isOwn(tx, user, message)))
    throw new ApiError("You don't have permission to delete this message");
  const { message_content_delete_limit_seconds: limit } = user.realm;
  if (limit !== null && message.age_seconds > limit)
    throw new ApiError("The time limit for deleting this message has passed");
}

/** Messages of a user's bots count as the user's own. */
async function isOwn(tx: Tx, user: User, { sender_id }: MessageRow): Promise<boolean> {
  if (sender_id === user.id) return true;
  const bot = await tx
    .selectFrom("users")
    .select("id")
    .where("id", "=", sender_id)
    .where("bot_owner_id", "=", user.id)
    .executeTakeFirst();
  return bot !== undefined;
}
