import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { SentFile } from "../../../http/form.ts";
import type { User } from "../../../identity/account.ts";
import { CommitOutcomeUnknown, transaction, type Tx } from "../../../platform/db/transaction.ts";
import { accessEmojiForUpdate, accessNewEmoji } from "./access.ts";
import { emojiKey, newFileName } from "./file.ts";
import { normalizeEmojiName } from "./name.ts";
import { makeEmojiPicture, type EmojiPicture } from "./picture.ts";
import { listCustomEmoji } from "./queries.ts";

interface EmojiOptions {
  /** It is only shown where it was used before. */
  isDeactivated?: boolean;
  /** Belongs to the same transaction. */
  alongside?: (tx: Tx, id: number) => Promise<void>;
}

/** Stores the files before the event is emitted, and removes them again when adding the emoji fails. */
export async function addEmoji(
  ctx: Pick<Context, "db" | "files">,
  author: User,
  wantedName: string,
  files: SentFile[],
  { isDeactivated = false, alongside }: EmojiOptions = {},
): Promise<void> {
  const name = normalizeEmojiName(wantedName);
  await accessNewEmoji(ctx.db, author, name);
  const stored = await storePicture(ctx, author, await makeEmojiPicture(author, files));
  try {
    await transaction(ctx.db, "add emoji", async (tx) => {
      await lockRealm(tx, author);
      const made = await tx
        .insertInto("custom_emoji")
        .values({ realm_id: author.realm_id, name, author_id: author.id, deactivated: isDeactivated, ...stored })
        .onConflict((conflict) => conflict.columns(["realm_id", "name"]).where("deactivated", "=", false).doNothing())
        .returning("id")
        .executeTakeFirst();
      if (!made) throw new ApiError("A custom emoji with this name already exists.");
      await emitEmoji(tx, author.realm_id);
      await alongside?.(tx, made.id);
    });
  } catch (error) {
    if (!(error instanceof CommitOutcomeUnknown)) await removePicture(ctx, author, stored);
    throw error;
  }
}

/** Returns its id. */
export async function deactivateEmoji(tx: Tx, actor: User, wantedName: string): Promise<number> {
  const name = normalizeEmojiName(wantedName);
  await lockRealm(tx, actor);
  const { id } = await accessEmojiForUpdate(tx, actor, name);
  await tx.updateTable("custom_emoji").set({ deactivated: true }).where("id", "=", id).execute();
  await emitEmoji(tx, actor.realm_id);
  return id;
}

/** Serializes changes of emoji, because every event lists all of them. */
const lockRealm = (tx: Tx, { realm_id }: User) =>
  tx.selectFrom("realms").select("id").where("id", "=", realm_id).forNoKeyUpdate().execute();

async function emitEmoji(tx: Tx, realmId: number): Promise<void> {
  const realm_emoji = await listCustomEmoji(tx, realmId);
  emit(tx, realmId, toEveryone, { type: "realm_emoji", op: "update", realm_emoji });
}

interface StoredPicture {
  file_name: string;
  still_file_name: string | null;
}

async function storePicture(
  { files }: Pick<Context, "files">,
  { realm_id }: User,
  { shown, still }: EmojiPicture,
): Promise<StoredPicture> {
  const file_name = newFileName(still ? "webp" : "png");
  await files.put(emojiKey({ realm_id, file_name }), shown.bytes, shown.contentType);
  if (!still) return { file_name, still_file_name: null };
  const still_file_name = newFileName("png");
  await files.put(emojiKey({ realm_id, file_name: still_file_name }), still.bytes, still.contentType);
  return { file_name, still_file_name };
}

async function removePicture(
  { files }: Pick<Context, "files">,
  { realm_id }: User,
  stored: StoredPicture,
): Promise<void> {
  for (const file_name of [stored.file_name, stored.still_file_name])
    if (file_name !== null) await files.remove(emojiKey({ realm_id, file_name }));
}
