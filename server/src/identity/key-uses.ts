/**
 * Records when and from where each API key was last used. That takes place once per hour and key, after the response, and
 * for many keys at once: a request only compares two numbers. A use of the last second is lost if the process is killed.
 */
import { sql } from "kysely";
import type { Db } from "../platform/db/connect.ts";
import type { Credential } from "./account.ts";

const delayMilliseconds = 1000;

export const hourOf = (milliseconds: number): number => Math.floor(milliseconds / 3_600_000);

export class KeyUses {
  readonly #db: Db;
  /** IP addresses by the ids of the keys. */
  #pending = new Map<number, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  note(credential: Credential, ip: string): void {
    const hour = hourOf(Date.now());
    if (credential.recordedHour >= hour || credential.kind !== "api_key") return;
    credential.recordedHour = hour;
    this.#pending.set(credential.id, ip);
    this.#timer ??= setTimeout(() => void this.record().catch(() => undefined), delayMilliseconds).unref();
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
