/** Who may delete a message, and for how long. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { holdsPermission } from "../../channels/access.ts";
import type { MessageRow } from "../send/locked-message.ts";
import { heldRealmPermissions } from "../../organization/permissions/held-permissions.ts";

export async function accessDeletion(tx: Tx, user: User, message: MessageRow): Promise<void> {
  const held = await heldRealmPermissions(tx, user, ["can_delete_any_message_group", "can_delete_own_message_group"]);
  if (held.has("can_delete_any_message_group")) return;
  const { message_content_delete_limit_seconds: limit } = user.realm;
  const isInTime = limit === null || message.age_seconds <= limit;
  const isOwnMessage = await isOwn(tx, user, message);
  if (held.has("can_delete_own_message_group") && isOwnMessage && isInTime) return;
  const ofChannel = await rightsInChannel(tx, user, message);
  if (ofChannel.mayDeleteAny) return;
  const mayDeleteOwn = held.has("can_delete_own_message_group") || ofChannel.mayDeleteOwn;
  if (!mayDeleteOwn || !isOwnMessage) throw new ApiError("You don't have permission to delete this message");
  if (!isInTime) throw new ApiError("The time limit for deleting this message has passed");
}

interface DeletionRights {
  mayDeleteAny: boolean;
  mayDeleteOwn: boolean;
}

/** What the message's channel permits beyond the organization. */
async function rightsInChannel(tx: Tx, user: User, { conversation_id }: MessageRow): Promise<DeletionRights> {
  const { rows } = await sql<DeletionRights>`
    select ${holdsPermission(user, "can_delete_any_message_group", "c")} as "mayDeleteAny",
      ${holdsPermission(user, "can_delete_own_message_group", "c")} as "mayDeleteOwn"
    from channels c where c.id = ${conversation_id}`.execute(tx);
  return rows[0] ?? { mayDeleteAny: false, mayDeleteOwn: false };
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
