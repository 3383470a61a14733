/** From what somebody sends to a file of theirs. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { toUser } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import { fileTooLarge, receiveFile, type ArrivingBody, type ArrivingFile } from "../../http/form.ts";
import type { User } from "../../http/sessions.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { defaultImageLimits, inspectImage, UnusableImage, type Picture } from "../../platform/images.ts";
import { claimedType, isPictureType, unknownType } from "./content-type.ts";
import { newPathId, shownName, uploadKey } from "./file-name.ts";
import { listAttachments, uploadSpaceUsed } from "./queries.ts";

/** A file in the store that nobody knows of yet. */
export interface LyingFile {
  pathId: string;
  name: string;
  /** As its sender says. */
  contentType: string;
  size: number;
}

/** The one file of a request's body. */
export async function uploadFile(ctx: Context, owner: User, arriving: ArrivingBody | undefined): Promise<LyingFile> {
  let lying: LyingFile | undefined;
  try {
    const { taken, files } = arriving
      ? await receiveFile(arriving, async (file) => (lying = await store(ctx, owner, file)))
      : { taken: undefined, files: 0 };
    if (files > 1) throw new ApiError("You may only upload one file at a time");
    if (!taken) throw new ApiError("You must specify a file to upload");
    await keepFile(ctx, owner, taken);
    return taken;
  } catch (error) {
    if (lying) await ctx.files.remove(uploadKey(lying.pathId));
    throw error;
  }
}

async function store(ctx: Context, owner: User, { name: given, contentType, body }: ArrivingFile): Promise<LyingFile> {
  const name = shownName(given);
  const pathId = newPathId(owner.realm_id, name);
  const { maxUploadMebibytes } = ctx.config;
  let size = 0;
  const counted = async function* () {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxUploadMebibytes * 1024 ** 2) throw fileTooLarge(maxUploadMebibytes);
      yield chunk;
    }
  };
  await ctx.files.putStream(uploadKey(pathId), counted(), unknownType);
  return { pathId, name, contentType, size };
}

/** From here on it is the owner's, and the owner is told. To keep it a second time changes nothing. */
export async function keepFile(ctx: Context, owner: User, file: LyingFile): Promise<void> {
  const claimed = claimedType(file.contentType, file.name);
  const picture = isPictureType(claimed) ? await findPicture(ctx, file) : undefined;
  const contentType = picture?.contentType ?? (isPictureType(claimed) ? unknownType : claimed);
  await transaction(ctx.db, "keep an upload", async (tx) => {
    const kept = await tx
      .insertInto("attachments")
      .values({
        realm_id: owner.realm_id,
        owner_id: owner.id,
        path_id: file.pathId,
        file_name: file.name,
        size: file.size,
        content_type: contentType,
        width: picture?.width ?? null,
        height: picture?.height ?? null,
        frames: picture?.frames ?? null,
      })
      .onConflict((conflict) => conflict.column("path_id").doNothing())
      .returning("id")
      .executeTakeFirst();
    const [made] = kept ? await listAttachments(tx, owner.realm_id, sql`a.id = ${kept.id}`) : [];
    if (!made) return;
    emit(tx, owner.realm_id, toUser(owner.id), {
      type: "attachment",
      op: "add",
      attachment: made.object,
      upload_space_used: await uploadSpaceUsed(tx, owner.realm_id),
    });
  });
}

/** What the file says of itself, if it is a picture that we can read and that is not too large. */
async function findPicture(ctx: Context, { pathId, size }: LyingFile): Promise<Picture | undefined> {
  if (size > defaultImageLimits.bytes) return undefined;
  const file = await ctx.files.get(uploadKey(pathId));
  try {
    return file && (await inspectImage(file.bytes));
  } catch (error) {
    if (error instanceof UnusableImage) return undefined;
    throw error;
  }
}
