/** The active custom emoji, cached by the version of the organization, which every change of them raises. */
import type { TxContext } from "../../../context.ts";
import type { Realm } from "../../../identity/account.ts";
import type { CustomEmoji } from "../../../markdown/context.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { emojiUrl } from "./file.ts";

export const usableEmoji = ({ memory }: TxContext, db: Db, realm: Realm): Promise<CustomEmoji[]> =>
  memory.customEmoji.get(db, realm, () => listUsableEmoji(db, realm));

async function listUsableEmoji(db: Db, realm: Realm): Promise<CustomEmoji[]> {
  const rows = await db
    .selectFrom("custom_emoji")
    .select(["realm_id", "name", "file_name"])
    .where("realm_id", "=", realm.id)
    .where("deactivated", "=", false)
    .execute();
  return rows.map((row) => ({ name: row.name, source_url: emojiUrl(row) }));
}
