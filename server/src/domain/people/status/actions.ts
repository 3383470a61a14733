import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toUsersSeeing } from "../users/audience.ts";
import type { Emoji } from "../../organization/emoji/which-emoji.ts";

/** Undefined fields stay unchanged; null removes the emoji. */
export interface StatusChange {
  status_text: string | undefined;
  emoji: Emoji | null | undefined;
}

export async function updateStatus(tx: Tx, user: User, { status_text, emoji }: StatusChange): Promise<void> {
  const fields = {
    ...(status_text === undefined ? {} : { status_text }),
    ...(emoji === undefined ? {} : (emoji ?? { emoji_name: "", emoji_code: "", reaction_type: "" })),
  };
  await tx
    .insertInto("user_statuses")
    .values({ user_id: user.id, realm_id: user.realm_id, ...fields })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(fields))
    .execute();
  // On the wire, even a removed emoji has a type.
  const shown = emoji === null ? { ...fields, reaction_type: "unicode_emoji" } : fields;
  const audience = await toUsersSeeing(tx, user.realm, user);
  emit(tx, user.realm_id, audience, { type: "user_status", user_id: user.id, ...shown });
}
