/**
 * A file that is sent in several requests, each of which may break off: what arrived of it is kept as a part. When all of
 * it is there the parts are joined to one file, under an address that was chosen at the beginning; so it does no harm
 * when two requests, or one after a crash, do that again.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { sql, type Selectable } from "kysely";
import type { Readable } from "node:stream";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { fileTooLarge } from "../../../http/form.ts";
import type { User } from "../../../http/sessions.ts";
import { enqueue, enqueueAll } from "../../../jobs/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ResumableUploadsTable } from "../../../platform/db/schema.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import type { FileStore } from "../../../platform/file-store.ts";
import { unknownType } from "../content-type.ts";
import { newPathId, shownName, uploadKey } from "../file-name.ts";
import { removeStored } from "../jobs.ts";
import { keepFile, type LyingFile } from "../keep.ts";

export type ResumableUpload = Selectable<ResumableUploadsTable>;

/** After the last part that arrived. */
const lifeHours = 24;
const expiry = sql<Date>`now() + ${`${lifeHours} hours`}::interval`;
/** What a sender can begin and leave lying. */
const mostAtOnce = 100;

interface Announced {
  name: string;
  contentType: string;
  size: number;
}

export async function beginUpload(ctx: Context, owner: User, announced: Announced): Promise<ResumableUpload> {
  const { maxUploadMebibytes } = ctx.config;
  if (announced.size > maxUploadMebibytes * 1024 ** 2) throw tooLarge(maxUploadMebibytes);
  const name = shownName(announced.name);
  return transaction(ctx.db, "begin a resumable upload", async (tx) => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from resumable_uploads
      where owner_id = ${owner.id} and received < size and expires_at > now()`.execute(tx);
    if ((rows[0]?.count ?? 0) >= mostAtOnce)
      throw new ApiError("Too many unfinished uploads; finish or remove some first", { status: 429 });
    return tx
      .insertInto("resumable_uploads")
      .values({
        id: randomBytes(18).toString("base64url"),
        realm_id: owner.realm_id,
        owner_id: owner.id,
        file_name: name,
        content_type: announced.contentType.slice(0, 200),
        size: announced.size,
        path_id: newPathId(owner.realm_id, name),
        expires_at: expiry,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

export async function accessResumable(db: Db, owner: User, id: string): Promise<ResumableUpload> {
  const upload = await db
    .selectFrom("resumable_uploads")
    .selectAll()
    .where("realm_id", "=", owner.realm_id)
    .where("owner_id", "=", owner.id)
    .where("id", "=", id)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (!upload) throw new ApiError("There is no such upload", { status: 404 });
  return upload;
}

/** Keeps what arrives, also of a request that breaks off. Of two that continue at the same place one is too late. */
export async function appendTo(ctx: Context, upload: ResumableUpload, body: Readable): Promise<ResumableUpload> {
  const key = `parts/${upload.id}/${randomUUID()}`;
  const room = upload.size - upload.received;
  let arrived = 0;
  const counted = async function* () {
    for await (const chunk of untilBroken(body)) {
      arrived += chunk.length;
      if (arrived > room) throw new ApiError("More was sent than was announced", { status: 413 });
      yield chunk;
    }
  };
  await ctx.files.putStream(key, counted(), unknownType);
  const grown =
    arrived === 0
      ? undefined
      : await ctx.db
          .updateTable("resumable_uploads")
          .set({
            received: upload.received + arrived,
            parts: sql<string[]>`array_append(parts, ${key})`,
            expires_at: expiry,
          })
          .where("id", "=", upload.id)
          .where("received", "=", upload.received)
          .returningAll()
          .executeTakeFirst();
  if (grown) return grown;
  await ctx.files.remove(key);
  if (arrived === 0) return upload;
  throw wrongOffset();
}

export const wrongOffset = () => new ApiError("The upload does not go on there", { status: 409 });

const tooLarge = (mebibytes: number) => new ApiError(fileTooLarge(mebibytes).message, { status: 413 });

async function* untilBroken(body: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer; // a request's body comes in nothing else
  } catch (error) {
    // The client is gone and will ask how far it came.
    if (!body.destroyed) throw error;
  }
}

/** The file, once all of it has arrived. */
export async function finishUpload(ctx: Context, owner: User, upload: ResumableUpload): Promise<LyingFile | undefined> {
  if (upload.received < upload.size || upload.path_id === null) return undefined;
  const { path_id: pathId, file_name: name, content_type: contentType, size, parts } = upload;
  const file: LyingFile = { pathId, name, contentType, size };
  const isKept = await ctx.db.selectFrom("attachments").select("id").where("path_id", "=", pathId).executeTakeFirst();
  if (isKept) return file;
  await ctx.files.putStream(uploadKey(pathId), joined(ctx.files, parts), unknownType);
  await keepFile(ctx, owner, file);
  await transaction(ctx.db, "forget the parts of an upload", async (tx) => {
    await tx.updateTable("resumable_uploads").set({ parts: [] }).where("id", "=", upload.id).execute();
    await enqueue(tx, removeStored, { keys: parts });
  });
  return file;
}

async function* joined(files: FileStore, parts: string[]): AsyncGenerator<Buffer> {
  for (const key of parts) {
    const part = await files.open(key);
    if (!part) throw new Error(`the part ${key} of an upload is missing`);
    for await (const chunk of part.body) yield chunk as Buffer; // files are read as bytes
  }
}

export async function removeResumable(ctx: Context, upload: ResumableUpload): Promise<void> {
  await transaction(ctx.db, "remove a resumable upload", async (tx) => {
    const gone = await tx
      .deleteFrom("resumable_uploads")
      .where("id", "=", upload.id)
      .returning("parts")
      .executeTakeFirst();
    if (gone && gone.parts.length > 0) await enqueue(tx, removeStored, { keys: gone.parts });
  });
}

/** Those nobody has gone on with for a day, and those that have long been files. */
export async function removeExpiredUploads(ctx: Context): Promise<number> {
  return transaction(ctx.db, "remove expired uploads", async (tx) => {
    const gone = await tx
      .deleteFrom("resumable_uploads")
      .where("expires_at", "<", sql<Date>`now()`)
      .returning("parts")
      .execute();
    await enqueueAll(
      tx,
      removeStored,
      gone.filter(({ parts }) => parts.length > 0).map(({ parts }) => ({ keys: parts })),
    );
    return gone.length;
  });
}
