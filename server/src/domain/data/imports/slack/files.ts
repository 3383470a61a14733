/** The files of a Slack export: what messages say of them, and where export tools put them in the archive. */
import type { Archive } from "../archive/archive.ts";
import { type JsonRecord, isRecord, numberOf, recordsOf, stringOf } from "../archive/json.ts";
import { fileName } from "../names/stored-name.ts";
import type { NoteSkipped, SourceFile, SourceId } from "../source.ts";
import { cleanText, isLinkable } from "../text/marks.ts";
import type { MessageFile } from "./body.ts";

const inUploads = /(?:^|\/)__uploads\/([^/]+)\/[^/]+$/;
const inChannel = /(?:^|\/)attachments\/(F[A-Z0-9]+)-[^/]*$/;
const inAvatars = /(?:^|\/)__avatars\/([^/]+)\/([^/]+)$/;

/** Entries of the archive by the ids of files. */
export function findFiles(archive: Archive): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of archive.files.keys()) {
    const id = (inUploads.exec(name) ?? inChannel.exec(name))?.[1];
    if (id !== undefined) found.set(id, name);
  }
  return found;
}

/** By ids of people. */
export function findAvatars(archive: Archive): Map<string, SourceFile> {
  const found = new Map<string, SourceFile>();
  for (const [entry, { size }] of archive.files) {
    const [, id, name] = inAvatars.exec(entry) ?? [];
    if (id !== undefined && name !== undefined) found.set(id, { entry, name, size });
  }
  return found;
}

interface FilesContext {
  /** Entries of the archive by the ids of files. */
  fileEntries: ReadonlyMap<string, string>;
  canFetch: (url: string) => boolean;
  noteSkipped: NoteSkipped;
}

export function filesOf(
  message: JsonRecord,
  messageId: SourceId,
  { fileEntries, canFetch, noteSkipped }: FilesContext,
): MessageFile[] {
  const given = recordsOf(message["files"]);
  if (given.length === 0 && isRecord(message["file"])) given.push(message["file"]);
  const files: MessageFile[] = [];
  for (const each of given) {
    const file = toMessageFile(each, fileEntries, canFetch);
    if (file === undefined) noteSkipped("file_deleted", stringOf(each["id"]) || messageId);
    else {
      if ("file" in file && file.file.entry === undefined)
        noteSkipped("file_not_in_archive", stringOf(each["id"]) || messageId);
      files.push(file);
    }
  }
  return files;
}

/** Undefined for a deleted file. */
function toMessageFile(
  file: JsonRecord,
  entries: ReadonlyMap<string, string>,
  canFetch: (url: string) => boolean,
): MessageFile | undefined {
  const id = stringOf(file["id"]);
  const entry = entries.get(id);
  if (file["mode"] === "tombstone" && entry === undefined) return undefined;
  const name = fileName([file["name"], file["title"]].map(stringOf), id);
  const url = stringOf(file["url_private"]);
  if (entry === undefined && (file["mode"] === "external" || file["is_external"] === true) && isLinkable(url))
    return { link: { text: cleanText(stringOf(file["title"])) || name, url } };
  const permalink = withoutToken(stringOf(file["permalink"]));
  const type = stringOf(file["mimetype"]);
  const size = numberOf(file["size"]);
  return {
    file: {
      name,
      ...(entry === undefined ? addressOf(file, canFetch) : { entry }),
      ...(permalink === undefined ? {} : { permalink }),
      ...(type === "" ? {} : { type }),
      ...(size === undefined ? {} : { size }),
    },
  };
}

function addressOf(file: JsonRecord, canFetch: (url: string) => boolean): Pick<SourceFile, "entry" | "url"> {
  const url = [file["url_private_download"], file["url_private"]].map(stringOf).find(canFetch);
  const entry = url === undefined ? undefined : withoutToken(url);
  return url === undefined || entry === undefined ? {} : { entry, url };
}

/** Exported addresses give access to whoever has them. */
function withoutToken(url: string): string | undefined {
  if (!/^https?:/i.test(url)) return undefined;
  return url.replace(/[?#].*$/s, "");
}

/** Names of files, from the best to the worst, for the name of a thread. */
export function* fileNamesOf(message: JsonRecord): Generator<string> {
  const [first] = recordsOf(message["files"]);
  const file = first ?? (isRecord(message["file"]) ? message["file"] : undefined);
  if (file === undefined) return;
  yield stringOf(file["name"]);
  yield stringOf(file["title"]);
}
