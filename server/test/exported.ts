/** Fetches, unpacks and reads an export. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createExport, type RealmExport } from "@skein/api/exports.ts";
import { onTestFinished } from "vitest";
import { fetchAs } from "./files.ts";
import { success, type TestQueue, type TestUser } from "./realm.ts";

/** Waits until the newest export is finished. */
export async function untilConcluded(queue: TestQueue): Promise<RealmExport> {
  for (;;) {
    const newest = (await queue.nextOf("realm_export")).exports.at(-1);
    if (newest && !newest.pending) return newest;
  }
}

/** The path of the export's URL. */
export const pathOf = ({ export_url }: RealmExport): string => {
  if (export_url === null) throw new Error("there is nothing to fetch");
  return new URL(export_url).pathname;
};

const packed = "export.tar.gz";

export class Exported {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** All rows of a kind. */
  async rows(kind: string): Promise<Record<string, unknown>[]> {
    const files = (await readdir(this.#folder)).filter((name) => name.startsWith(`${kind}-`)).toSorted();
    const lists = await Promise.all(files.map(async (name) => JSON.parse(await this.text(name)) as []));
    return lists.flat();
  }

  text(path: string): Promise<string> {
    return readFile(join(this.#folder, path), "utf8");
  }

  /** All files in the export with their paths. */
  async everything(): Promise<string> {
    const paths = (await readdir(this.#folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile() && entry.name !== packed)
      .map((entry) => join(entry.parentPath, entry.name));
    const texts = await Promise.all(paths.map(async (path) => `${path}\n${await readFile(path, "utf8")}`));
    return texts.join("\n");
  }

  async summary(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text("export.json")) as Record<string, unknown>; // it holds nothing else
  }
}

/** Requests an export, waits for it, and unpacks it. */
export async function exportAs(admin: TestUser, export_type: 1 | 2): Promise<Exported> {
  const queue = await admin.register(["realm_export"]);
  success(await admin.call(createExport, { export_type }));
  return unpack(admin, await untilConcluded(queue));
}

export async function unpack(admin: TestUser, made: RealmExport): Promise<Exported> {
  const response = await fetchAs(admin, pathOf(made));
  if (!response.ok) throw new Error(`answered with ${response.status}`);
  return unpackArchive(Buffer.from(await response.arrayBuffer()));
}

export async function unpackArchive(archive: Buffer): Promise<Exported> {
  const folder = await mkdtemp(join(tmpdir(), "skein-export-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, packed), archive);
  await promisify(execFile)("tar", ["-xzf", packed], { cwd: folder });
  return new Exported(folder);
}
