import { roles } from "@skein/api/users.ts";
import type { Selectable } from "kysely";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { nameToCode } from "../../../markdown/emoji.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { CustomEmojiTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { holdsRealmPermission } from "../permissions/held-permissions.ts";

type Emoji = Selectable<CustomEmojiTable>;

/** The one emoji built into the server that is not in Unicode. */
const extraEmoji = "zulip";

/** Throws unless the user may add an emoji of this name. */
export async function accessNewEmoji(db: Db, user: User, name: string): Promise<void> {
  if (!(await holdsRealmPermission(db, user, "can_add_custom_emoji_group"))) throw insufficientPermission();
  const isBuiltIn = nameToCode.has(name) || name === extraEmoji;
  if (isBuiltIn && user.role > roles.administrator)
    throw new ApiError("Only administrators can override default emoji.");
}

/** The active emoji of this name, locked, for a user who may deactivate it. */
export async function accessEmojiForUpdate(tx: Tx, user: User, name: string): Promise<Emoji> {
  const emoji = await tx
    .selectFrom("custom_emoji")
    .selectAll()
    .where("realm_id", "=", user.realm_id)
    .where("name", "=", name)
    .where("deactivated", "=", false)
    .forUpdate()
    .executeTakeFirst();
  if (!emoji) throw new ApiError(`Emoji '${name}' does not exist`, { status: 404 });
  if (emoji.author_id !== user.id && user.role > roles.administrator)
    throw new ApiError("Must be an organization administrator or emoji author");
  return emoji;
}
