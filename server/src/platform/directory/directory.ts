/**
 * The directory: which cell each organization lives in. A small PostgreSQL database of its own, so that it depends on no
 * cell. Whoever changes it is a command; routers read it.
 *
 * **Invariant:** a host name has one row, so an organization is in one cell at any time. Changing that row is what moves it.
 */
import pg from "pg";
import { z } from "zod";

/** The host name under which the organization is listed that serves all host names of no other one. */
export const anyHost = "*";

export const cellListing = z.object({
  number: z.int(),
  name: z.string(),
  addresses: z.array(z.string()),
});
export type Cell = z.output<typeof cellListing>;

export const organizationListing = z.object({
  host: z.string(),
  cell: z.int(),
  moving_to: z.int().nullable(),
});
export type ListedOrganization = z.output<typeof organizationListing>;

/** All of it. Routers hold this in memory, and in a file for when the directory is not available. */
export const directoryContents = z.object({
  cells: z.array(cellListing),
  organizations: z.array(organizationListing),
});
export type DirectoryContents = z.output<typeof directoryContents>;

export class Directory {
  readonly #pool: pg.Pool;

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 2,
      application_name: "skein directory",
      connectionTimeoutMillis: 5000,
      options: "-c statement_timeout=10s",
    });
    this.#pool.on("error", () => undefined); // the next statement fails with it
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async read(): Promise<DirectoryContents> {
    const cells = await this.#pool.query<Cell>("select number, name, addresses from cells order by number");
    const organizations = await this.#pool.query<ListedOrganization>(
      "select host, cell, moving_to from organizations order by host",
    );
    return { cells: cells.rows, organizations: organizations.rows };
  }

  async find(host: string): Promise<ListedOrganization | undefined> {
    const { rows } = await this.#pool.query<ListedOrganization>(
      "select host, cell, moving_to from organizations where host = $1",
      [host],
    );
    return rows[0];
  }

  /** Adds a cell, or changes the name and addresses of one. */
  async putCell({ number, name, addresses }: Cell): Promise<void> {
    await this.#pool.query(
      `insert into cells (number, name, addresses) values ($1, $2, $3)
      on conflict (number) do update set name = excluded.name, addresses = excluded.addresses`,
      [number, name, addresses],
    );
  }

  /** Lists host names under a cell. Returns those that another cell has, which stay there. */
  async addHosts(cell: number, hosts: readonly string[]): Promise<string[]> {
    await this.#pool.query(
      `insert into organizations (host, cell) select host, $1 from unnest($2::text[]) as host on conflict do nothing`,
      [cell, hosts],
    );
    const { rows } = await this.#pool.query<{ host: string }>(
      "select host from organizations where host = any($2::text[]) and cell <> $1",
      [cell, hosts],
    );
    return rows.map(({ host }) => host);
  }

  /** Removes host names of a cell that it no longer has. A row that has just changed stays, because the list may be older. */
  async removeOtherHosts(cell: number, hosts: readonly string[]): Promise<void> {
    await this.#pool.query(
      `delete from organizations where cell = $1 and moving_to is null and host <> all($2::text[])
        and changed_at < now() - interval '1 minute'`,
      [cell, hosts],
    );
  }

  /** Notes that a move has begun. Returns false if the organization is not in that cell, or on its way elsewhere. */
  async beginMove(host: string, from: number, to: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(
      `update organizations set moving_to = $3, changed_at = now()
      where host = $1 and cell = $2 and (moving_to is null or moving_to = $3)`,
      [host, from, to],
    );
    return rowCount === 1;
  }

  async abandonMove(host: string, from: number): Promise<void> {
    await this.#pool.query(
      "update organizations set moving_to = null, changed_at = now() where host = $1 and cell = $2",
      [host, from],
    );
  }

  /** The organization is in the other cell from now on. Repeating it changes nothing. */
  async completeMove(host: string, from: number, to: number): Promise<void> {
    await this.#pool.query(
      `update organizations set cell = $3, moving_to = null, changed_at = now()
      where host = $1 and cell = $2 and moving_to = $3`,
      [host, from, to],
    );
  }
}
