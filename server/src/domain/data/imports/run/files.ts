/**
 * Stores files of the archive, and those that it links to, as uploads of whoever sent them first. The operator decides, so
 * quotas do not apply.
 */
import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import type { Picture } from "../../../../platform/images.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { inChunks } from "../../../base/chunks.ts";
import { claimedType, isImageType, unknownType } from "../../../messages/uploads/content-type.ts";
import { newPathId, shownName, uploadKey } from "../../../messages/uploads/file-name.ts";
import { findImage } from "../../../messages/uploads/find-image.ts";
import { maxUploadBytes } from "../../../messages/uploads/limit.ts";
import { clearPending, markPending } from "../../../messages/uploads/pending-files.ts";
import { isFetched, type SourceFile } from "../source.ts";
import { listSenders } from "./accounts.ts";
import { fetchedAtOnce, NotFetched, type FetchFailure } from "./fetch-file.ts";
import type { Import } from "./import-context.ts";
import { replaceLink } from "./late-files.ts";
import { remember } from "./map.ts";
import { skipInto } from "./report.ts";
import type { StagedFileData } from "./staging.ts";
import { missingFile } from "./texts.ts";

const batchSize = 100;

interface StagedFile {
  n: number;
  entry: string;
  sender_id: string;
  data: StagedFileData;
  is_known: boolean;
  /** The message that has it, if it was imported earlier, and its text unless it is deleted. */
  late_id: number | null;
  late_content: string | null;
}

export async function storeFiles(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId, source } = run;
  const people = await listSenders(db, run);
  const { rows: counted } = await sql<{ last: number | null }>`
    select max(n) as last from import_files where realm_id = ${realmId}`.execute(db);
  const total = counted[0]?.last ?? 0;
  for (let done = checkpoint; ;) {
    const { rows } = await sql<StagedFile>`
      select f.n, f.entry, f.sender_id, f.data, k.id is not null as is_known, m.id as late_id, x.content as late_content
      from import_files f
        left join import_map k on k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = 'file'
          and k.source_id = f.entry
        left join import_map m on m.realm_id = ${realmId} and m.source = ${source.name} and m.kind = 'message'
          and m.source_id = f.data->>'messageId'
        left join messages x on x.id = m.id and x.realm_id = ${realmId}
      where f.realm_id = ${realmId} and f.n > ${done} order by f.n limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    // Several are fetched at once, and stored in their order: a run that continues knows which are left.
    for (const some of inChunks(rows, run.fetcher ? fetchedAtOnce : 1)) {
      const received = await Promise.all(some.map((file) => receive(run, file, people.get(file.sender_id))));
      for (const [index, file] of some.entries()) {
        await keep(run, file, received[index]);
        run.onProgress({ phase: "files", done: file.n, total });
      }
    }
    done = last.n;
  }
}

/** A file in the store, or why it is not there. */
type Received = NewAttachment | FetchFailure | undefined;

/** A file that the archive does not contain is counted where a message names it. */
async function receive(run: Import, file: StagedFile, ownerId: number | undefined): Promise<Received> {
  const { data } = file;
  if (file.is_known || ownerId === undefined) return undefined;
  // Of a message that was imported without it, only its link can be replaced.
  if (file.late_id !== null && !isLinkedIn(file) && data.ownerId === undefined) return undefined;
  if (!isFetched(data)) {
    const body = await run.source.readFile(data);
    return body && store(run, data, ownerId, (write) => write(body));
  }
  const { fetcher } = run;
  if (!fetcher) return undefined;
  try {
    const maxBytes = maxUploadBytes(run.ctx.config);
    return await store(run, data, ownerId, (write) => fetcher.fetch(data, maxBytes, write));
  } catch (error) {
    if (error instanceof NotFetched) return error.reason;
    throw error;
  }
}

async function store(
  run: Import,
  data: SourceFile,
  ownerId: number,
  read: (write: (body: AsyncIterable<unknown>) => Promise<void>) => Promise<void>,
): Promise<NewAttachment> {
  const name = shownName(data.name);
  const pathId = newPathId(run.realmId, name);
  let size = 0;
  await markPending(run.db, uploadKey(pathId));
  await read(async (body) => {
    size = 0;
    const counted = async function* () {
      for await (const chunk of body) {
        const bytes = chunk as Buffer; // files are read as bytes
        size += bytes.length;
        yield bytes;
      }
    };
    await run.ctx.files.putStream(uploadKey(pathId), counted(), unknownType);
  });
  const claimed = claimedType(data.type ?? "", name);
  const image = isImageType(claimed) ? await findImage(run.ctx, { pathId, size }) : undefined;
  const contentType = image?.contentType ?? (isImageType(claimed) ? unknownType : claimed);
  return { ownerId, pathId, name, size, contentType, image, createdAt: data.createdAt };
}

/** Whether the message still has the link that stands for a file that was not there. */
const isLinkedIn = ({ data, late_content }: StagedFile): boolean =>
  data.permalink !== undefined && (late_content?.includes(missingFile(data)) ?? false);

async function keep(run: Import, file: StagedFile, received: Received): Promise<void> {
  const { n, entry, data } = file;
  if (received === undefined) return;
  await run.batch("import a file", n, async (tx, report) => {
    if (typeof received === "string") return skipInto(report)(received, data.messageId ?? entry);
    const id = await insertAttachment(tx, run, received);
    await remember(tx, run, "file", [[entry, id]]);
    if (file.late_id !== null && isLinkedIn(file))
      await replaceLink(tx, run, file.late_id, missingFile(data), { ...received, id });
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
  /** Seconds; undefined: now. */
  createdAt?: number | undefined;
}

export async function insertAttachment(
  tx: Tx,
  { realmId }: Import,
  { ownerId, pathId, name, size, contentType, image, createdAt }: NewAttachment,
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
      ...(createdAt === undefined ? {} : { created_at: new Date(Math.round(createdAt * 1000)) }),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await clearPending(tx, uploadKey(pathId));
  return id;
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
