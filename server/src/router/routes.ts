/**
 * Which cell a host name leads to. A router holds the whole directory in memory: it is told of changes, asks again from
 * time to time, and goes on with what it knows while the directory is not available. A file keeps the last copy, so that
 * a router can also start then.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import pg from "pg";
import { Directory, directoryContents, anyHost, type DirectoryContents } from "../platform/directory/directory.ts";
import { channel } from "../platform/directory/schema.ts";
import type { Logger } from "../platform/log.ts";

const pollMilliseconds = 30_000;
const retryMilliseconds = 1000;

export interface CellRoute {
  number: number;
  name: string;
  addresses: readonly string[];
}

export class Routes {
  readonly #url: string;
  readonly #copy: string;
  readonly #logger: Logger;
  readonly #directory: Directory;
  #listener: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #byHost = new Map<string, CellRoute>();
  #stored = "";
  #reading: Promise<void> | undefined;
  /** Why the directory cannot be read; undefined if it can. */
  problem: string | undefined = "not read yet";
  /** Whether there is anything to route by. */
  isKnown = false;

  constructor(given: { directoryUrl: string; directoryCopy: string; logger: Logger }) {
    this.#url = given.directoryUrl;
    this.#copy = given.directoryCopy;
    this.#logger = given.logger;
    this.#directory = new Directory(this.#url);
  }

  /** Returns when there is something to route by, from the directory or from the file. */
  async start(): Promise<void> {
    await this.#readCopy();
    await this.#follow();
    if (!this.isKnown)
      throw new Error(`The directory cannot be read (${this.problem}), and there is no copy of it in ${this.#copy}.`);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#listener?.end().catch(() => undefined);
    await this.#reading;
    await this.#directory.close();
  }

  /** The cell of this host name, or of the organization that serves all others; undefined if there is none. */
  find(host: string): CellRoute | undefined {
    return this.#byHost.get(host) ?? this.#byHost.get(anyHost);
  }

  get size(): number {
    return this.#byHost.size;
  }

  /** Listens first and reads then, so that no change is missed in between. */
  async #follow(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      if (!this.#listener) await this.#listen();
      await this.#read();
      this.#schedule(pollMilliseconds);
    } catch (error) {
      if (this.#isStopped) return;
      if (this.problem === undefined || !this.isKnown)
        this.#logger.error({ err: error }, "the directory is not available; routing by the last copy of it");
      this.problem = error instanceof Error ? error.message : String(error);
      this.#schedule(retryMilliseconds);
    }
  }

  #schedule(milliseconds: number): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#follow(), milliseconds);
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: "skein router",
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    });
    client.on("error", () => this.#lose(client));
    client.on("end", () => this.#lose(client));
    client.on("notification", () => void this.#follow());
    await client.connect();
    this.#listener = client;
    await client.query(`listen ${channel}`);
  }

  #lose(client: pg.Client): void {
    if (this.#listener !== client) return;
    this.#listener = undefined;
    clearTimeout(this.#timer);
    this.#schedule(retryMilliseconds);
  }

  /** One at a time; a change that arrives meanwhile is read by another one. */
  async #read(): Promise<void> {
    const before = this.#reading;
    const reading = (async () => {
      await before?.catch(() => undefined);
      this.#use(await this.#directory.read());
      if (this.problem !== undefined) this.#logger.info("the directory has been read");
      this.problem = undefined;
      await this.#writeCopy();
    })();
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  #contents: DirectoryContents = { cells: [], organizations: [] };

  #use(contents: DirectoryContents): void {
    this.#contents = contents;
    const cells = new Map(contents.cells.map((cell) => [cell.number, cell]));
    this.#byHost = new Map(
      contents.organizations.flatMap(({ host, cell }) => {
        const route = cells.get(cell);
        return route ? [[host, route] as const] : [];
      }),
    );
    this.isKnown = true;
  }

  async #readCopy(): Promise<void> {
    try {
      const text = await readFile(this.#copy, "utf8");
      this.#use(directoryContents.parse(JSON.parse(text)));
      this.#stored = text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        this.#logger.warn({ err: error }, "the copy of the directory cannot be read");
    }
  }

  async #writeCopy(): Promise<void> {
    const text = JSON.stringify(this.#contents);
    if (text === this.#stored) return;
    try {
      await mkdir(dirname(this.#copy), { recursive: true });
      // Routers may share the file, and a router may be killed: it is replaced as a whole.
      const temporary = `${this.#copy}.${process.pid}`;
      await writeFile(temporary, text);
      await rename(temporary, this.#copy);
      this.#stored = text;
    } catch (error) {
      this.#logger.warn({ err: error }, "the copy of the directory cannot be written");
    }
  }
}
