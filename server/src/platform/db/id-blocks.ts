/**
 * The ids of each cell. Ids never change when an organization moves to another cell, so cells take them from separate
 * blocks: cell n begins at n × 2^40. All ids stay below 2^53, where JSON numbers are exact.
 *
 * As in a new database, the first messages leave room below them for imported history.
 */
import type pg from "pg";

export const maxCell = 8191;
const blockSize = 2 ** 40;
const roomForImports = 1_000_000_000;

export const firstIdOf = (cell: number): number => cell * blockSize;

/** Which cell's block the id is from. */
export const blockOf = (id: number): number => Math.floor(id / blockSize);

/** Numbers of this sequence are int4; the rows are known by their names. */
const otherSequences = ["clients_id_seq"];

/** The cell that a database belongs to; undefined if it is not one of several. */
export async function readCellNumber(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ number: number }>("select number from cell");
  return rows[0]?.number;
}

/** Throws if the database has organizations with ids of other cells, or is another cell already. */
export async function assignIdBlock(client: pg.ClientBase, cell: number, sealedCheck: string): Promise<void> {
  await client.query("begin");
  try {
    await client.query("lock table cell in share row exclusive mode");
    const known = await readCellNumber(client);
    if (known !== undefined && known !== cell) throw new Error(`This database belongs to cell ${known} already.`);
    if (known === undefined) {
      const { rows } = await client.query<{ count: number }>("select count(*) from realms where id < $1 or id >= $2", [
        firstIdOf(cell),
        firstIdOf(cell + 1),
      ]);
      if ((rows[0]?.count ?? 0) > 0)
        throw new Error(
          `This database has ${rows[0]?.count} organization(s) whose ids are not of cell ${cell}. An existing installation is ` +
            "cell 0; every other cell begins with an empty database.",
        );
      if (cell > 0) await startSequences(client, cell);
    }
    await client.query(
      `insert into cell (number, sealed_check) values ($1, $2)
      on conflict (is_the_only_row) do update set sealed_check = excluded.sealed_check`,
      [cell, sealedCheck],
    );
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

async function startSequences(client: pg.ClientBase, cell: number): Promise<void> {
  const first = firstIdOf(cell);
  const firstMessage = first + roomForImports;
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences
    where schemaname = 'public' and sequencename <> all($1)`,
    [[...otherSequences, "messages_id_seq"]],
  );
  for (const { name } of rows) await client.query("select setval($1::regclass, $2, false)", [name, first + 1]);
  // As in the migration that introduced the room.
  await client.query("select setval('messages_id_seq', $1)", [firstMessage]);
  await client.query("update import_ids set next_id = $1, end_id = $2", [first + 1, firstMessage]);
  await client.query("update notification_progress set settled = $1", [firstMessage - 1]);
  await client.query("update search_progress set message_id = $1", [firstMessage - 1]);
}
