/**
 * Shares the built files of the web client through the file store. While two releases run side by side, a page served by
 * one node requests files from another, and a page that has been open for days requests files of a release that is gone.
 * So each node stores the files of its own build before it accepts requests, and serves from the store what its own build
 * lacks.
 *
 * **Invariant:** a release is inserted before its files are stored, and deleted with its files under a lock that the
 * insertion waits for (`expire.ts`). So no file of a published release is ever missing.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "../../../context.ts";

/** The key in the file store. */
export const assetKey = (name: string): string => `web-assets/${name}`;

/** How often a node records that its release is in use; expire.ts waits much longer. */
const heartbeatMilliseconds = 6 * 3600_000;
const retryMilliseconds = 60_000;
/** Requests for unknown names query the database at most once in this time. */
const refreshMilliseconds = 1000;
const concurrentUploads = 8;

type Parts = Pick<Context, "db" | "files" | "logger">;

export class SharedAssets {
  readonly #parts: Parts;
  /** The folder of this node's build. */
  readonly #folder: string;
  #known = new Set<string>();
  #refreshedAt = -refreshMilliseconds;
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
  }

  /** Resolves once every node can serve this node's files. A failing store does not prevent the start. */
  async start(): Promise<void> {
    try {
      await this.#publish();
      this.#scheduleStart(heartbeatMilliseconds);
    } catch (error) {
      this.#parts.logger.warn(
        { err: error },
        "could not share the web client's files; it may fail to load while two releases run side by side",
      );
      this.#scheduleStart(retryMilliseconds);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The names of all files of releases in use. */
  async names(wanted: string): Promise<ReadonlySet<string>> {
    if (!this.#known.has(wanted))
      await (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
    return this.#known;
  }

  async read(name: string): Promise<Buffer | undefined> {
    return (await this.#parts.files.get(assetKey(name)))?.bytes;
  }

  #scheduleStart(milliseconds: number): void {
    this.#timer = setTimeout(() => void this.start(), milliseconds).unref();
  }

  async #publish(): Promise<void> {
    const { db, files } = this.#parts;
    const names = (await readdir(this.#folder).catch((): string[] => [])).toSorted(); // not built
    const [first] = names;
    if (first === undefined) return;
    const id = createHash("sha256").update(names.join("\n")).digest("hex");
    const { published_at } = await db
      .insertInto("web_releases")
      .values({ id, files: names })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: new Date() }))
      .returning("published_at")
      .executeTakeFirstOrThrow();
    // The file store may have been replaced since.
    if (published_at !== null && (await files.get(assetKey(first)))) return;
    const waiting = names.values();
    const store = async () => {
      for (const name of waiting)
        await files.put(assetKey(name), await readFile(join(this.#folder, name)), "application/octet-stream");
    };
    await Promise.all(Array.from({ length: concurrentUploads }, store));
    await db.updateTable("web_releases").set({ published_at: new Date() }).where("id", "=", id).execute();
  }

  /** Waits until `refreshMilliseconds` have passed since the last refresh; concurrent callers share it. */
  async #refresh(): Promise<void> {
    await wait(Math.max(0, this.#refreshedAt + refreshMilliseconds - performance.now()));
    this.#refreshedAt = performance.now();
    const releases = await this.#parts.db
      .selectFrom("web_releases")
      .select("files")
      .where("published_at", "is not", null)
      .execute();
    this.#known = new Set(releases.flatMap(({ files }) => files));
  }
}
