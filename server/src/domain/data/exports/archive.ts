/**
 * Yields the files of an export one after the other. The database is read from one snapshot, in a transaction that ends
 * before the uploaded files follow: those never change, and may take long. The last file, `export.json`, lists uploads that
 * were removed in the meantime.
 */
import type { Context } from "../../../context.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { FileStore } from "../../../platform/file-store.ts";
import type { TarFile } from "../../../platform/tar.ts";
import { release } from "../../../platform/release.ts";
import { kinds, messages } from "./contents.ts";
import { listPictures, type Picture } from "./pictures.ts";
import { fetchTexts, packIntoFiles } from "./rows.ts";
import { everything, findScope, type ExportRequest, type Scope } from "./scope.ts";
import { listUploads } from "./uploads.ts";
import { listWebhooks } from "./webhooks.ts";

const formatVersion = 1;
const conversationsAtOnce = 1000;

/** Collected while the export is written. */
interface Summary {
  counts: Record<string, number>;
  missingFiles: string[];
}

/** What is needed to read an organization's data. */
export type ExportContext = Pick<Context, "db" | "files" | "secretBox">;

export async function* archive(ctx: ExportContext, requested: ExportRequest): AsyncGenerator<TarFile> {
  const summary: Summary = { counts: {}, missingFiles: [] };
  const now = new Date();
  const later: { pictures: Picture[]; uploads: number[] } = { pictures: [], uploads: [] };
  const tx = await ctx.db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute();
  try {
    const scope = await findScope(tx, requested);
    yield* data(tx, scope, now, summary, (id) => later.uploads.push(id));
    const webhooks = requested.export_type === everything ? listWebhooks(tx, ctx.secretBox, requested.realm_id) : [];
    yield* packIntoFiles("outgoing_webhooks", webhooks, now, (rows) => (summary.counts["outgoing_webhooks"] = rows));
    later.pictures = await listPictures(tx, requested.realm_id);
  } finally {
    await tx.rollback().execute();
  }
  for (const { path, key } of later.pictures) yield* small(ctx.files, path, key, now, summary);
  yield* uploads(ctx, later.uploads, summary);
  yield manifest(requested, now, summary);
}

async function* data(
  tx: Db,
  scope: Scope,
  now: Date,
  { counts }: Summary,
  onUpload: (id: number) => void,
): AsyncGenerator<TarFile> {
  const count = (name: string) => (rows: number) => {
    counts[name] = (counts[name] ?? 0) + rows;
  };
  for (const { name, rows } of kinds(scope)) {
    const texts = fetchTexts(tx, rows);
    yield* packIntoFiles(name, name === "attachments" ? watched(texts, onUpload) : texts, now, count(name));
  }
  yield* packIntoFiles("messages", allMessages(tx, scope), now, count("messages"));
}

/** Reports the ID of each row that passes through. */
async function* watched(texts: AsyncIterable<string>, onId: (id: number) => void): AsyncGenerator<string> {
  for await (const text of texts) {
    onId((JSON.parse(text) as { id: number }).id); // only used for rows that have an ID
    yield text;
  }
}

/** Conversation by conversation: the index yields messages in this order without sorting. */
export async function* allMessages(tx: Db, scope: Scope): AsyncGenerator<string> {
  const conversations = [...scope.whole, ...scope.protected];
  for (let from = 0; from < conversations.length; from += conversationsAtOnce)
    yield* fetchTexts(tx, messages(scope, conversations.slice(from, from + conversationsAtOnce)));
}

/** Pictures are small enough to be held in memory. */
async function* small(
  files: FileStore,
  path: string,
  key: string,
  modifiedAt: Date,
  { missingFiles }: Summary,
): AsyncGenerator<TarFile> {
  const file = await files.get(key);
  if (file) yield { path, size: file.bytes.length, modifiedAt, content: [file.bytes] };
  else missingFiles.push(path);
}

async function* uploads(
  { db, files }: ExportContext,
  ids: number[],
  { missingFiles }: Summary,
): AsyncGenerator<TarFile> {
  for await (const { key, path, size, created_at } of listUploads(db, ids)) {
    const file = await files.open(key);
    if (file) yield { path, size, modifiedAt: created_at, content: file.body };
    else missingFiles.push(path);
  }
}

function manifest({ id, export_type, realm_id }: ExportRequest, now: Date, { counts, missingFiles }: Summary): TarFile {
  const content = Buffer.from(
    `${JSON.stringify(
      {
        format: "skein-export",
        version: formatVersion,
        release,
        id,
        realm_id,
        export_type,
        exported_at: now.toISOString(),
        counts,
        missing_files: missingFiles,
      },
      null,
      2,
    )}\n`,
  );
  return { path: "export.json", size: content.length, modifiedAt: now, content: [content] };
}
