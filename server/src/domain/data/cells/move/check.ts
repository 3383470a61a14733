/** Checks that an organization can be moved, before anything is changed. */
import { sql } from "kysely";
import pg from "pg";
import type { SecretBox } from "../../../../platform/secret-box.ts";
import { opensCheck } from "../secret-check.ts";
import type { Move } from "./move.ts";

export interface MovePlan {
  messages: number;
}

/** Throws with what to do if it cannot be moved. */
export async function checkMove(move: Move, box: SecretBox): Promise<MovePlan> {
  const { realm, from, to } = move;
  if (to.cell <= from.cell)
    throw new Error(
      `An organization moves only to a cell with a higher number than ${from.cell}: messages are in the order of their ids, and ` +
        "new ones must have greater ids than those it has.",
    );
  await refuseUnfinished(move);
  const target = new pg.Client({ connectionString: to.url, application_name: "skein move" });
  await target.connect();
  try {
    await checkTarget(move, target, box);
  } finally {
    await target.end();
  }
  const { rows } = await sql<{ count: number }>`select count(*) from messages where realm_id = ${realm.id}`.execute(
    from.db,
  );
  return { messages: rows[0]?.count ?? 0 };
}

async function refuseUnfinished({ from: { db }, realm }: Move): Promise<void> {
  const { rows } = await sql<{ what: string }>`
    select 'is being deleted' as what from realm_deletions where id = ${realm.id}
    union all select 'has an import that is not finished (skein import abandon)' from imports
      where realm_id = ${realm.id} and finished_at is null
    union all select 'has an import in the browser that is not finished' from realm_imports
      where realm_id = ${realm.id} and finished_at is null
    union all select 'has a merge of accounts that is not finished' from user_merges
      where realm_id = ${realm.id} and finished_at is null`.execute(db);
  if (rows[0]) throw new Error(`The organization ${rows[0].what}, so it cannot be moved now.`);
}

async function checkTarget({ realm, from, to }: Move, target: pg.Client, box: SecretBox): Promise<void> {
  const cell = await target.query<{ number: number; sealed_check: string }>("select number, sealed_check from cell");
  if (cell.rows[0]?.number !== to.cell) throw new Error(`The target database is not that of cell ${to.cell}.`);
  if (!opensCheck(box, cell.rows[0].sealed_check))
    throw new Error(
      "The two cells have different values of SKEIN_SECRET. Give both the same: see `skein secret rotate`.",
    );
  const migrations = "select coalesce(string_agg(name, ' ' order by name), '') as names from schema_migrations";
  const [here, there] = [
    await sql<{ names: string }>`${sql.raw(migrations)}`.execute(from.db),
    await target.query<{ names: string }>(migrations),
  ];
  if (here.rows[0]?.names !== there.rows[0]?.names)
    throw new Error("The two databases have different migrations. Upgrade both cells to the same release first.");
  const own = await from.db
    .selectFrom("realms")
    .select(["string_id", "host"])
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const taken = await target.query("select from realms where id <> $1 and (string_id = $2 or lower(host) = $3)", [
    realm.id,
    own.string_id,
    realm.host,
  ]);
  if (taken.rowCount !== 0)
    throw new Error(
      "The other cell has an organization with the same short name or host name. Rename one: `skein realm rename`.",
    );
  try {
    await target.query("set session_replication_role = replica");
  } catch (error) {
    throw new Error(
      "The role of the target database may not copy rows as they are. As a superuser, run there: " +
        "GRANT SET ON PARAMETER session_replication_role TO CURRENT_ROLE_OF_SKEIN;",
      { cause: error },
    );
  }
}
