/**
 * The custom emoji a text can use, remembered by each node for one version of the organization, which every change of
 * them raises. What a transaction sees is not remembered, as it may not commit.
 */
import type { Context } from "../../context.ts";
import type { Realm } from "../../http/sessions.ts";
import type { CustomEmoji } from "../../markdown/context.ts";
import type { Db } from "../../platform/db/connect.ts";
import { emojiUrl } from "./file.ts";

interface Remembered {
  version: number;
  emoji: CustomEmoji[];
}

const remembered = new WeakMap<Context, Map<number, Remembered>>();

export async function usableEmoji(ctx: Context, db: Db, realm: Realm): Promise<CustomEmoji[]> {
  const byRealm = remembered.get(ctx) ?? new Map<number, Remembered>();
  remembered.set(ctx, byRealm);
  const known = byRealm.get(realm.id);
  if (known?.version === realm.version) return known.emoji;
  const rows = await db
    .selectFrom("custom_emoji")
    .select(["realm_id", "name", "file_name"])
    .where("realm_id", "=", realm.id)
    .where("deactivated", "=", false)
    .execute();
  const emoji = rows.map((row) => ({ name: row.name, source_url: emojiUrl(row) }));
  if (db === ctx.db) byRealm.set(realm.id, { version: realm.version, emoji });
  return emoji;
}
