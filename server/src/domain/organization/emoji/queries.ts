import type { CustomEmoji } from "@skein/api/emoji.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { emojiUrl } from "./file.ts";

/** All custom emoji, including deactivated ones, as clients see them. */
export async function listCustomEmoji(db: Db, realmId: number): Promise<Record<string, CustomEmoji>> {
  const rows = await db
    .selectFrom("custom_emoji")
    .select(["id", "realm_id", "name", "author_id", "file_name", "still_file_name", "deactivated"])
    .where("realm_id", "=", realmId)
    .orderBy("id")
    .execute();
  return Object.fromEntries(
    rows.map(({ id, realm_id, name, author_id, file_name, still_file_name, deactivated }) => [
      String(id),
      {
        id: String(id),
        name,
        source_url: emojiUrl({ realm_id, file_name }),
        still_url: still_file_name === null ? null : emojiUrl({ realm_id, file_name: still_file_name }),
        deactivated,
        author_id,
      },
    ]),
  );
}
