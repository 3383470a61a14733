/** Stores files of the archive as uploads of whoever sent them first. The operator decides, so quotas do not apply. */
import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { defaultImageLimits, inspectImage, UnusableImage, type Picture } from "../../../../platform/images.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { claimedType, isImageType, unknownType } from "../../../messages/uploads/content-type.ts";
import { newPathId, shownName, uploadKey } from "../../../messages/uploads/file-name.ts";
import { clearPending, markPending } from "../../../messages/uploads/pending-files.ts";
import type { SourceFile } from "../source.ts";
import { listSenders } from "./accounts.ts";
import type { Import } from "./import-context.ts";
import { remember } from "./map.ts";

const batchSize = 100;

interface StagedFile {
  n: number;
  entry: string;
  sender_id: string;
  data: SourceFile;
}

export async function storeFiles(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId, source } = run;
  const people = await listSenders(db, run);
  const { rows: counted } = await sql<{ last: number | null }>`
    select max(n) as last from import_files where realm_id = ${realmId}`.execute(db);
  const total = counted[0]?.last ?? 0;
  for (let done = checkpoint; ;) {
    const { rows } = await sql<StagedFile & { is_known: boolean }>`
      select f.n, f.entry, f.sender_id, f.data, k.id is not null as is_known from import_files f
        left join import_map k on k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = 'file'
          and k.source_id = f.entry
      where f.realm_id = ${realmId} and f.n > ${done} order by f.n limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    for (const file of rows) {
      const ownerId = people.get(file.sender_id);
      if (!file.is_known && ownerId !== undefined) await storeFile(run, file, ownerId);
      run.onProgress({ phase: "files", done: file.n, total });
    }
    done = last.n;
  }
}

/** A file that the archive does not contain is counted where a message names it. */
async function storeFile(run: Import, { n, entry, data }: StagedFile, ownerId: number): Promise<void> {
  const body = await run.source.readFile(data);
  if (!body) return;
  const name = shownName(data.name);
  const pathId = newPathId(run.realmId, name);
  let size = 0;
  const counted = async function* () {
    for await (const chunk of body) {
      const bytes = chunk as Buffer; // files are read as bytes
      size += bytes.length;
      yield bytes;
    }
  };
  await markPending(run.db, uploadKey(pathId));
  await run.ctx.files.putStream(uploadKey(pathId), counted(), unknownType);
  const claimed = claimedType(data.type ?? "", name);
  const image = isImageType(claimed) ? await findImage(run, pathId, size) : undefined;
  const contentType = image?.contentType ?? (isImageType(claimed) ? unknownType : claimed);
  await run.batch("import a file", n, async (tx, report) => {
    const id = await insertAttachment(tx, run, { ownerId, pathId, name, size, contentType, image });
    await remember(tx, run, "file", [[entry, id]]);
    report.imported.files++;
  });
}

export interface NewAttachment {
  ownerId: number;
  pathId: string;
  name: string;
  size: number;
  contentType: string;
  image: Picture | undefined;
}

export async function insertAttachment(
  tx: Tx,
  { realmId }: Import,
  { ownerId, pathId, name, size, contentType, image }: NewAttachment,
): Promise<number> {
  const { id } = await tx
    .insertInto("attachments")
    .values({
      realm_id: realmId,
      owner_id: ownerId,
      path_id: pathId,
      file_name: name,
      size,
      content_type: contentType,
      width: image?.width ?? null,
      height: image?.height ?? null,
      frames: image?.frames ?? null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await clearPending(tx, uploadKey(pathId));
  return id;
}

async function findImage({ ctx }: Import, pathId: string, size: number): Promise<Picture | undefined> {
  if (size > defaultImageLimits.bytes) return undefined;
  const file = await ctx.files.get(uploadKey(pathId));
  try {
    return file && (await inspectImage(file.bytes));
  } catch (error) {
    if (error instanceof UnusableImage) return undefined;
    throw error;
  }
}

/** The bytes of a text as a file. If the run stops before its message is stored, they are removed in time. */
export async function storeText(run: Import, ownerId: number, text: string): Promise<NewAttachment> {
  const name = "message.txt";
  const pathId = newPathId(run.realmId, name);
  const bytes = Buffer.from(text);
  await markPending(run.db, uploadKey(pathId));
  await run.ctx.files.put(uploadKey(pathId), bytes, unknownType);
  return { ownerId, pathId, name, size: bytes.length, contentType: "text/plain", image: undefined };
}

/** The bytes of a small file, such as an avatar; undefined if the archive does not contain it or it is too large. */
export async function readSmallFile(
  { source }: Import,
  file: SourceFile,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const body = await source.readFile(file);
  if (!body) return undefined;
  let size = 0;
  const limited = async function* () {
    for await (const chunk of body) {
      const bytes = chunk as Buffer; // files are read as bytes
      size += bytes.length;
      if (size > maxBytes) return;
      yield bytes;
    }
  };
  const bytes = await buffer(limited());
  return size > maxBytes ? undefined : bytes;
}
