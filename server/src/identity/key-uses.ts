/**
 * Records when and from where each API key was last used, once per hour and key. The first use ever is recorded before the
 * response, so that a key listed as unused has not been used. Later ones are recorded after it, many keys at once: a request
 * only compares two numbers, and a use of the last second is lost if the process is killed.
 */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { Credential } from "./account.ts";

const delayMilliseconds = 1000;

/** The recorded hour of a key that was never used. */
export const neverUsed = 0;

export const hourOf = (milliseconds: number): number => Math.floor(milliseconds / 3_600_000);

export class KeyUses {
  readonly #db: Db;
  /** IP addresses by the ids of the keys. */
  #pending = new Map<number, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Notes a use. If a promise is returned, the request must wait for it. */
  note(credential: Credential, ip: string): Promise<void> | undefined {
    const hour = hourOf(Date.now());
    const { recordedHour } = credential;
    if (recordedHour >= hour || credential.kind !== "api_key") return undefined;
    credential.recordedHour = hour;
    this.#pending.set(credential.id, ip);
    if (recordedHour === neverUsed) return this.record().catch(() => undefined);
    this.#timer ??= setTimeout(() => void this.record().catch(() => undefined), delayMilliseconds).unref();
    return undefined;
  }

  /** Records what is pending, as far as the database can be reached. */
  async stop(): Promise<void> {
    await this.record().catch(() => undefined);
    clearTimeout(this.#timer);
  }

  /** Records the uses that are still pending. If that fails, they are tried again with the next ones. */
  async record(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = this.#pending;
    if (uses.size === 0) return;
    this.#pending = new Map();
    try {
      // Another node may have recorded this hour already.
      await sql`
        update api_keys k set last_used_at = date_trunc('hour', now()), last_used_ip = used.ip
        from unnest(${[...uses.keys()]}::bigint[], ${[...uses.values()]}::text[]) as used (id, ip)
        where k.id = used.id and coalesce(k.last_used_at < date_trunc('hour', now()), true)`.execute(this.#db);
    } catch (error) {
      this.#pending = new Map([...uses, ...this.#pending]);
      throw error;
    }
  }
}
