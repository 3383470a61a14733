/**
 * Triggers on the tables of an organization that is being moved. They note what changes in large tables, and refuse changes
 * while it is frozen, whoever makes them. They exist during a move only, so nothing costs anything otherwise.
 *
 * Frozen is whatever holds the exclusive advisory lock; every change takes it in shared mode until its transaction ends. So
 * whoever gets the exclusive lock has waited for all changes in flight, and if the process dies, PostgreSQL releases the lock
 * and the organization lives on.
 */
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { lockKinds } from "../../../../platform/db/advisory-locks.ts";
import { largeTables, notificationTables, unguarded, type MovedTable } from "./tables.ts";

const lockMilliseconds = 1000;
const pauseMilliseconds = 200;
const maxAttempts = 300;

const guardName = (realmId: number) => `moving_${realmId}`;

/** Waits for transactions that write to a table, but never longer than others would wait behind it. */
export async function installGuards(client: pg.Client, realmId: number, tables: readonly MovedTable[]): Promise<void> {
  for (const { name } of tables) {
    if (unguarded.includes(name) || name === "user_upload_space") continue; // changes along with attachments
    const kind = notificationTables.includes(name) ? lockKinds.movingNotifications : lockKinds.moving;
    const key = largeTables[name];
    const call = `execute function guard_moving_realm('${realmId}', '${kind}'${key === undefined ? "" : `, '${key}'`})`;
    const when = (row: string) => {
      if (name === "resumable_upload_parts") return "";
      return `when (${row}.${name === "realms" ? "id" : "realm_id"} = ${realmId})`;
    };
    await withShortLock(client, [
      `create or replace trigger ${guardName(realmId)} before insert or update on ${name} for each row ${when("new")} ${call}`,
      `create or replace trigger ${guardName(realmId)}_removal before delete on ${name} for each row ${when("old")} ${call}`,
    ]);
  }
}

export async function removeGuards(client: pg.Client, realmId: number): Promise<void> {
  const { rows } = await client.query<{ name: string; on: string }>(
    `select tgname as name, tgrelid::regclass::text as on from pg_trigger where tgname in ($1, $2)`,
    [guardName(realmId), `${guardName(realmId)}_removal`],
  );
  for (const { name, on } of rows) await withShortLock(client, [`drop trigger if exists ${name} on ${on}`]);
}

async function withShortLock(client: pg.Client, statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${lockMilliseconds}`);
      for (const statement of statements) await client.query(statement);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      if ((error as { code?: string }).code !== "55P03" || attempt === maxAttempts) throw error;
      await wait(pauseMilliseconds);
    }
  }
}
