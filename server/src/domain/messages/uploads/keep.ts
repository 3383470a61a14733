/** Turns an uploaded body into a file of its owner. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import { fileTooLarge, receiveFile, type StreamedBody, type StreamedFile } from "../../../http/form.ts";
import type { User } from "../../../identity/account.ts";
import { CommitOutcomeUnknown, transaction } from "../../../platform/db/transaction.ts";
import { claimedType, isImageType, unknownType } from "./content-type.ts";
import { newPathId, shownName, uploadKey } from "./file-name.ts";
import { findImage } from "./find-image.ts";
import { maxUploadBytes } from "./limit.ts";
import { discardFile, markPending, clearPending } from "./pending-files.ts";
import { listAttachments } from "./queries.ts";
import { checkQuotas, checkRoom, remainingSpace, spaceOf } from "./quota.ts";

/** A file in the store that the database does not know of yet. */
export interface ReceivedFile {
  pathId: string;
  name: string;
  /** As declared by the sender. */
  contentType: string;
  size: number;
}

/** The one file of a request's body. */
export async function uploadFile(ctx: Context, owner: User, arriving: StreamedBody | undefined): Promise<ReceivedFile> {
  let received: ReceivedFile | undefined;
  try {
    const { taken, files } = arriving
      ? await receiveFile(arriving, async (file) => (received = await store(ctx, owner, file)))
      : { taken: undefined, files: 0 };
    if (files > 1) throw new ApiError("You may only upload one file at a time");
    if (!taken) throw new ApiError("You must specify a file to upload");
    await keepFile(ctx, owner, taken);
    return taken;
  } catch (error) {
    if (received && !(error instanceof CommitOutcomeUnknown)) await discardFile(ctx, uploadKey(received.pathId));
    throw error;
  }
}

async function store(
  ctx: Context,
  owner: User,
  { name: given, contentType, body }: StreamedFile,
): Promise<ReceivedFile> {
  const name = shownName(given);
  const pathId = newPathId(owner.realm_id, name);
  const used = await spaceOf(ctx.db, owner);
  const room = remainingSpace(ctx.config, used);
  let size = 0;
  const counted = async function* () {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > maxUploadBytes(ctx.config)) throw fileTooLarge(ctx.config.maxUploadMebibytes);
      if (size > room) checkRoom(ctx.config, used, size);
      yield chunk;
    }
  };
  await markPending(ctx.db, uploadKey(pathId));
  await ctx.files.putStream(uploadKey(pathId), counted(), unknownType);
  return { pathId, name, contentType, size };
}

/** Makes the file the owner's and emits the event. Keeping it a second time changes nothing. */
export async function keepFile(ctx: Context, owner: User, file: ReceivedFile): Promise<void> {
  const claimed = claimedType(file.contentType, file.name);
  const image = isImageType(claimed) ? await findImage(ctx, file) : undefined;
  const contentType = image?.contentType ?? (isImageType(claimed) ? unknownType : claimed);
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
        width: image?.width ?? null,
        height: image?.height ?? null,
        frames: image?.frames ?? null,
      })
      .onConflict((conflict) => conflict.column("path_id").doNothing())
      .returning("id")
      .executeTakeFirst();
    await clearPending(tx, uploadKey(file.pathId));
    const used = kept ? await checkQuotas(tx, ctx.config, owner) : undefined;
    const [made] = kept ? await listAttachments(tx, owner.realm_id, sql`a.id = ${kept.id}`) : [];
    if (!made || !used) return;
    emit(tx, owner.realm_id, toUser(owner.id), {
      type: "attachment",
      op: "add",
      attachment: made.object,
      upload_space_used: used.realm,
    });
  });
}
