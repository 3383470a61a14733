/**
 * Read-only mode, which the operator turns on for all nodes (`skein maintenance on`). Requests that change something fail
 * with an explanation; reading works. Every node asks the database every two seconds, and after a change completes
 * waiting requests for events: a header of each response carries the message, so that clients can show it at once.
 */
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Tx } from "../platform/db/transaction.ts";

/** Its value is URI-encoded, because a header cannot contain every character. */
export const maintenanceHeader = "Skein-Maintenance";

export const maxMaintenanceMessage = 500;

const pollMilliseconds = 2000;
const answersPerChange = 3;

/** These do not change what anybody reads, and clients need them to read: queues, signing in, presence. */
const allowedOperations: ReadonlySet<string> = new Set([
  "register-queue",
  "delete-queue",
  "fetch-api-key",
  "jwt-fetch-api-key",
  "dev-fetch-api-key",
  "render-message",
  "update-presence",
  "set-typing-status",
  "set-typing-status-for-message-edit",
]);
const allowedPages = /^\/(?:login|accounts\/log(?:in|out))(?:\/|$)/;
const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS";

export class Maintenance {
  readonly #given: Pick<Context, "db" | "events">;
  #timer: NodeJS.Timeout | undefined;
  #isAsking = false;
  /** How many more times waiting requests for events are completed: some were not waiting yet when the message changed. */
  #answersLeft = 0;
  /** Undefined unless the server is read-only. */
  message: string | undefined;

  constructor(given: Pick<Context, "db" | "events">) {
    this.#given = given;
  }

  async start(): Promise<void> {
    this.message = (await readMaintenance(this.#given.db))?.message;
    this.#timer = setInterval(() => void this.#ask(), pollMilliseconds);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Throws if the request would change something now. */
  refuseChange(method: string, operation: string): void {
    if (this.message === undefined || isRead(method) || allowedOperations.has(operation)) return;
    throw readOnly(this.message);
  }

  /** The same for a page, by its path. */
  refusePageChange(method: string, path: string): void {
    if (this.message === undefined || isRead(method) || allowedPages.test(path)) return;
    throw readOnly(this.message);
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const message = (await readMaintenance(this.#given.db))?.message;
      if (message !== this.message) this.#answersLeft = answersPerChange;
      this.message = message;
      if (this.#answersLeft === 0) return;
      this.#answersLeft--;
      this.#given.events.answerWaitingReads();
    } catch {
      // Without the database nothing can change anyway, and health checks report it.
    } finally {
      this.#isAsking = false;
    }
  }
}

const readOnly = (message: string): ApiError =>
  new ApiError(message, { code: "READ_ONLY", status: 503, headers: { "Retry-After": "30" } });

export interface MaintenanceState {
  message: string;
  since: Date;
}

export const readMaintenance = (db: Db): Promise<MaintenanceState | undefined> =>
  db.selectFrom("maintenance").select(["message", "since"]).executeTakeFirst();

/** Takes effect on all nodes within two seconds. If it is on already, only the message changes. */
export async function beginMaintenance(tx: Tx, message: string): Promise<void> {
  await tx
    .insertInto("maintenance")
    .values({ message })
    .onConflict((conflict) => conflict.column("is_the_only_row").doUpdateSet({ message }))
    .execute();
}

/** Returns whether it was on. */
export async function endMaintenance(tx: Tx): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from maintenance`.execute(tx);
  return numAffectedRows > 0n;
}
