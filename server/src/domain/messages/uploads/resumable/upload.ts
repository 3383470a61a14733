/**
 * A file that is sent in several requests, each of which may break off: whatever arrived is stored as a part. Once
 * everything has arrived, the parts are joined into one file, under a path chosen at the beginning; so it does no harm
 * when two requests, or one after a crash, do that again.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { sql, type Selectable } from "kysely";
import type { Readable } from "node:stream";
import { maxUploadBytes } from "../limit.ts";
import type { Context } from "../../../../context.ts";
import { ApiError } from "../../../../errors.ts";
import { fileTooLarge } from "../../../../http/form.ts";
import type { User } from "../../../../identity/account.ts";
import { enqueue, enqueueAll } from "../../../../jobs/job.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { ResumableUploadsTable } from "../../../../platform/db/schema.ts";
import { CommitOutcomeUnknown, transaction, type Tx } from "../../../../platform/db/transaction.ts";
import type { FileStore } from "../../../../platform/file-store.ts";
import { unknownType } from "../content-type.ts";
import { newPathId, shownName, uploadKey } from "../file-name.ts";
import { removeStored } from "../jobs.ts";
import { keepFile, type ReceivedFile } from "../keep.ts";
import { markPending } from "../pending-files.ts";
import { checkRoom, spaceOf } from "../quota.ts";

export type ResumableUpload = Selectable<ResumableUploadsTable>;

/** A few smaller parts are accepted, for connections that break early; after that parts must be this large. */
const minPartBytes = 64 * 1024;
const maxSmallParts = 16;

/** Counted from the last part that arrived. */
const lifetimeHours = 24;
const expiry = sql<Date>`now() + ${`${lifetimeHours} hours`}::interval`;
/** How many unfinished uploads a user may have. */
const maxUnfinished = 100;

/** Where uploads are continued, by their IDs. */
export const root = "/api/v1/tus";

interface UploadRequest {
  name: string;
  contentType: string;
  size: number;
}

export async function startUpload(ctx: Context, owner: User, announced: UploadRequest): Promise<ResumableUpload> {
  if (announced.size > maxUploadBytes(ctx.config)) throw tooLarge(ctx.config.maxUploadMebibytes);
  const name = shownName(announced.name);
  return transaction(ctx.db, "begin a resumable upload", async (tx) => {
    // The lock makes each of many concurrent requests count those before it.
    await tx.selectFrom("users").select("id").where("id", "=", owner.id).forNoKeyUpdate().execute();
    checkRoom(ctx.config, await spaceOf(tx, owner), announced.size, 413);
    const { rows } = await sql<{ count: number }>`
      select count(*) from resumable_uploads
      where owner_id = ${owner.id} and received < size and expires_at > now()`.execute(tx);
    if ((rows[0]?.count ?? 0) >= maxUnfinished)
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
        final_path_id: newPathId(owner.realm_id, name),
        expires_at: expiry,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Begins an upload that does not become a file: whoever began it takes its parts, see takeParts. */
export async function startUploadOfParts(
  tx: Tx,
  { id, realm_id }: User,
  { name, size }: Omit<UploadRequest, "contentType">,
): Promise<string> {
  const upload = await tx
    .insertInto("resumable_uploads")
    .values({
      id: randomBytes(18).toString("base64url"),
      realm_id,
      owner_id: id,
      file_name: shownName(name),
      content_type: unknownType,
      size,
      expires_at: expiry,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return upload.id;
}

/** The keys of a complete upload's parts, in order, which belong to the caller from now on. Undefined if it is incomplete. */
export async function takeParts(tx: Tx, id: string): Promise<string[] | undefined> {
  const upload = await tx
    .selectFrom("resumable_uploads")
    .selectAll()
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!upload || upload.received < upload.size) return undefined;
  const parts = await partsOf(tx, upload);
  await tx.deleteFrom("resumable_uploads").where("id", "=", id).execute();
  return parts;
}

/** Removes an upload that nobody waits for any more. */
export const abandonUpload = (tx: Tx, id: string): Promise<void> => removeAll(tx, [id]);

export async function accessResumable(db: Db, owner: User, id: string): Promise<ResumableUpload> {
  const upload = await db
    .selectFrom("resumable_uploads")
    .selectAll()
    .where("realm_id", "=", owner.realm_id)
    .where("owner_id", "=", owner.id)
    .where("id", "=", id)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (!upload) throw new ApiError("This upload does not exist or has expired.", { status: 404 });
  return upload;
}

/**
 * Stores what arrives, even if the request breaks off. Of two requests that continue at the same offset, the slower one
 * fails.
 */
export async function appendTo(ctx: Context, upload: ResumableUpload, body: Readable): Promise<ResumableUpload> {
  const receiving = ctx.memory.receivingUploads;
  // The data of a second request on this node would be thrown away.
  if (receiving.has(upload.id))
    throw new ApiError("Another part of this upload is still being received. Try again later.", { status: 423 });
  receiving.add(upload.id);
  try {
    return await receivePart(ctx, upload, body);
  } finally {
    receiving.delete(upload.id);
  }
}

async function receivePart(ctx: Context, upload: ResumableUpload, body: Readable): Promise<ResumableUpload> {
  const key = `parts/${upload.id}/${randomUUID()}`;
  const room = upload.size - upload.received;
  let arrived = 0;
  const counted = async function* () {
    for await (const chunk of untilBroken(body)) {
      arrived += chunk.length;
      if (arrived > room)
        throw new ApiError("The request contains more data than the announced Upload-Length.", { status: 413 });
      yield chunk;
    }
  };
  const least = (await hasTooManyParts(ctx.db, upload)) ? Math.min(minPartBytes, room) : 0;
  const chunks = await atLeast(counted(), least);
  if (!chunks) throw new ApiError(`Each part of an upload except the last must have at least ${minPartBytes} bytes.`);
  await ctx.files.putStream(key, chunks, unknownType);
  if (arrived === 0) {
    await ctx.files.remove(key);
    return upload;
  }
  let grown: ResumableUpload | undefined;
  try {
    grown = await addPart(ctx.db, upload, key, arrived);
  } catch (error) {
    if (!(error instanceof CommitOutcomeUnknown)) await ctx.files.remove(key);
    throw error;
  }
  if (grown) return grown;
  await ctx.files.remove(key);
  throw wrongOffset("Another request has uploaded this part already. Get the current offset and continue there.");
}

/** Whether no more small parts are accepted. */
async function hasTooManyParts(db: Db, { id, received, parts }: ResumableUpload): Promise<boolean> {
  const { rows } = await sql<{ next: number }>`
    select coalesce(max(number) + 1, 0) as next from resumable_upload_parts where upload_id = ${id}`.execute(db);
  return (rows[0]?.next ?? 0) + parts.length >= maxSmallParts + Math.floor(received / minPartBytes);
}

/** The same chunks, once this many bytes have arrived; undefined if they end before that. */
async function atLeast(chunks: AsyncGenerator<Buffer>, bytes: number): Promise<AsyncGenerator<Buffer> | undefined> {
  const first: Buffer[] = [];
  for (let held = 0; held < bytes;) {
    const { value, done } = await chunks.next();
    if (done === true) return undefined;
    first.push(value);
    held += value.length;
  }
  return (async function* () {
    yield* first;
    yield* chunks;
  })();
}

/** Undefined when another request added a part first. */
const addPart = (
  db: Db,
  { id, received }: ResumableUpload,
  key: string,
  size: number,
): Promise<ResumableUpload | undefined> =>
  transaction(db, "add a part of an upload", async (tx) => {
    const before = await tx
      .selectFrom("resumable_uploads")
      .selectAll()
      .where("id", "=", id)
      .where("received", "=", received)
      .forUpdate()
      .executeTakeFirst();
    if (!before) return undefined;
    // Parts stored by a process of the previous release come before this one.
    await sql`
      insert into resumable_upload_parts (upload_id, number, file_key)
      select ${id}, known.next + added.n - 1, added.key
      from (select coalesce(max(number) + 1, 0) as next from resumable_upload_parts where upload_id = ${id}) as known,
        unnest(${[...before.parts, key]}::text[]) with ordinality as added (key, n)`.execute(tx);
    return tx
      .updateTable("resumable_uploads")
      .set({
        received: received + size,
        parts: [],
        path_id: null,
        final_path_id: before.final_path_id ?? before.path_id,
        expires_at: expiry,
      })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
  });

export const wrongOffset = (message: string) => new ApiError(message, { status: 409 });

const tooLarge = (mebibytes: number) => new ApiError(fileTooLarge(mebibytes).message, { status: 413 });

async function* untilBroken(body: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer; // a request's body consists of buffers
  } catch (error) {
    // The client is gone; it will ask for the offset when it returns.
    if (!body.destroyed) throw error;
  }
}

/** The file, once all of it has arrived. */
export async function finishUpload(
  ctx: Context,
  owner: User,
  upload: ResumableUpload,
): Promise<ReceivedFile | undefined> {
  // Only uploads started by a process of the previous release, and not changed since, have `path_id`.
  const pathId = upload.final_path_id ?? upload.path_id;
  if (upload.received < upload.size || pathId === null) return undefined;
  const { file_name: name, content_type: contentType, size } = upload;
  const file: ReceivedFile = { pathId, name, contentType, size };
  const isKept = await ctx.db.selectFrom("attachments").select("id").where("path_id", "=", pathId).executeTakeFirst();
  if (isKept) return file;
  const parts = await partsOf(ctx.db, upload);
  // Another request may be finishing it as well, so the file is not removed when this one fails; the sweep removes it
  // if needed.
  await markPending(ctx.db, uploadKey(pathId));
  await ctx.files.putStream(uploadKey(pathId), joined(ctx.files, parts), unknownType);
  await keepFile(ctx, owner, file);
  await transaction(ctx.db, "forget the parts of an upload", async (tx) => {
    await tx.updateTable("resumable_uploads").set({ parts: [] }).where("id", "=", upload.id).execute();
    await tx.deleteFrom("resumable_upload_parts").where("upload_id", "=", upload.id).execute();
    await enqueue(tx, removeStored, { keys: parts });
  });
  return file;
}

/** The keys of its parts, in order. */
async function partsOf(db: Db, { id, parts }: Pick<ResumableUpload, "id" | "parts">): Promise<string[]> {
  const rows = await db
    .selectFrom("resumable_upload_parts")
    .select("file_key")
    .where("upload_id", "=", id)
    .orderBy("number")
    .execute();
  return [...rows.map(({ file_key }) => file_key), ...parts];
}

async function* joined(files: FileStore, parts: string[]): AsyncGenerator<Buffer> {
  for (const key of parts) {
    const part = await files.open(key);
    if (!part) throw new Error(`part ${key} of an upload is missing`);
    for await (const chunk of part.body) yield chunk as Buffer; // files are read as buffers
  }
}

export async function removeResumable(ctx: Context, { id }: ResumableUpload): Promise<void> {
  await transaction(ctx.db, "remove a resumable upload", (tx) => removeAll(tx, [id]));
}

const batchSize = 100;

/** Removes uploads that were not continued for a day, and those that became files long ago. */
export async function removeExpiredUploads(ctx: Context): Promise<number> {
  for (let removed = 0; ;) {
    const gone = await transaction(ctx.db, "remove expired uploads", async (tx) => {
      const expired = await tx
        .selectFrom("resumable_uploads")
        .select("id")
        .where("expires_at", "<", sql<Date>`now()`)
        .limit(batchSize)
        .forUpdate()
        .skipLocked()
        .execute();
      await removeAll(
        tx,
        expired.map(({ id }) => id),
      );
      return expired.length;
    });
    removed += gone;
    if (gone < batchSize) return removed;
  }
}

async function removeAll(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await sql<{ keys: string[] }>`
    select r.parts || array(
      select p.file_key from resumable_upload_parts p where p.upload_id = r.id order by p.number) as keys
    from resumable_uploads r where r.id = any(${ids}) for update`.execute(tx);
  await tx.deleteFrom("resumable_uploads").where("id", "in", ids).execute();
  await enqueueAll(
    tx,
    removeStored,
    rows.filter(({ keys }) => keys.length > 0),
  );
}
