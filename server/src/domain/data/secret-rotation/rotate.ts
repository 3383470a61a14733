/**
 * Encrypts and signs again what the second secret encrypted or signed, so that it can be forgotten. In small transactions,
 * while the server runs: nodes accept both secrets meanwhile. Nobody gets events, because nothing changes for anyone.
 */
import { sql } from "kysely";
import type { Config } from "../../../config.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { proxyPath, resignProxyUrls } from "../../messages/previews/proxy-url.ts";
import { sealedColumns, type SealedColumn } from "./sealed-columns.ts";

const atOnce = 500;

export interface Rotation {
  /** Values that were encrypted again. */
  secrets: number;
  /** Values that neither secret opens. */
  unreadable: number;
  /** Messages and earlier versions of messages in which links to images were signed again. */
  messages: number;
}

/** If it is interrupted, calling it again does the rest. */
export async function rotateSecrets(db: Db, config: Config, box: SecretBox): Promise<Rotation> {
  const done: Rotation = { secrets: 0, unreadable: 0, messages: 0 };
  for (const column of sealedColumns) await resealColumn(db, box, column, done);
  for (const [table, text] of renderedTexts) done.messages += await resignTexts(db, config, table, text);
  return done;
}

async function resealColumn(db: Db, box: SecretBox, column: SealedColumn, done: Rotation): Promise<void> {
  for (let after = 0; ;) {
    const rows = await transaction(db, "rotate secrets", async (tx) => {
      const found = await lockSealed(tx, column, after);
      const changed = found.flatMap(({ key, owner, sealed }) => {
        const purpose = column.purpose(owner);
        if (box.open(sealed, purpose) === undefined) done.unreadable++;
        const again = box.reseal(sealed, purpose);
        return again === undefined ? [] : [{ key, again }];
      });
      await sql`
        update ${sql.table(column.table)} t set ${sql.raw(column.set)}
        from unnest(${changed.map(({ key }) => key)}::bigint[], ${changed.map(({ again }) => again)}::text[]) as new (key, sealed)
        where t.${sql.ref(column.key)} = new.key`.execute(tx);
      return { found, changed: changed.length };
    });
    done.secrets += rows.changed;
    const last = rows.found.at(-1);
    if (!last) return;
    after = last.key;
  }
}

/** Locked, so that a key that is renewed at this moment is not replaced by the old one. */
async function lockSealed(tx: Tx, { table, key, owner, sealed }: SealedColumn, after: number) {
  const { rows } = await sql<{ key: number; owner: number; sealed: string }>`
    select t.${sql.ref(key)} as key, t.${sql.ref(owner)} as owner, ${sql.raw(sealed)} as sealed
    from ${sql.table(table)} t where t.${sql.ref(key)} > ${after} and ${sql.raw(sealed)} <> ''
    order by t.${sql.ref(key)} limit ${atOnce} for no key update`.execute(tx);
  return rows;
}

const renderedTexts = [
  ["messages", "rendered_content"],
  ["message_edits", "prev_rendered_content"],
  ["reminders", "rendered_content"],
  ["scheduled_messages", "rendered_content"],
] as const;

async function resignTexts(db: Db, config: Config, table: string, column: string): Promise<number> {
  const text = sql.ref(column);
  for (let [after, total] = [0, 0]; ;) {
    const { rows } = await sql<{ id: number; text: string }>`
      select id, ${text} as text from ${sql.table(table)}
      where id > ${after} and position(${proxyPath} in ${text}) > 0 order by id limit ${atOnce}`.execute(db);
    const last = rows.at(-1);
    if (!last) return total;
    const changed = rows
      .map((row) => ({ ...row, again: resignProxyUrls(config, row.text) }))
      .filter((row) => row.again !== row.text);
    // A text that somebody edits at this moment is rendered, and signed, anew.
    await sql`
      update ${sql.table(table)} t set ${text} = new.again
      from unnest(${changed.map(({ id }) => id)}::bigint[], ${changed.map((row) => row.text)}::text[],
        ${changed.map(({ again }) => again)}::text[]) as new (id, old, again)
      where t.id = new.id and t.${text} = new.old`.execute(db);
    total += changed.length;
    after = last.id;
  }
}
