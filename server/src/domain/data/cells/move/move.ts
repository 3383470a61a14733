/**
 * Moves an organization to another cell while people use it.
 *
 *  1. Triggers begin to note changes of large tables (guard.ts); then these are copied, in one snapshot.
 *  2. What changed meanwhile is copied again, until little is left.
 *  3. The organization is frozen: changes are refused, those in flight have ended. Reading goes on.
 *  4. In one transaction of the target: the rest of the changes, all other tables, jobs; compared by counts and checksums.
 *  5. The source notes that the organization has left; the target's transaction commits; the directory names the new cell.
 *
 * **Invariant:** it is alive in at most one cell. Until step 5 the target lacks the organization itself, so nothing acts on the
 * rows it has. In step 5 it is dead in the source before it can be alive in the target. Whoever is killed leaves it alive in
 * the source until then; in step 5 it is settled by whoever moves it next (`settle`), after all connections of the killed
 * process have ended, which the mover's locks show.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import pg from "pg";
import type { Config } from "../../../../config.ts";
import { endQueues } from "../../../../events/end-queues.ts";
import { lockKinds } from "../../../../platform/db/advisory-locks.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import type { Directory } from "../../../../platform/directory/directory.ts";
import type { FileStore } from "../../../../platform/file-store.ts";
import { wordsOfMessage } from "../../../messages/search/index-messages.ts";
import { followBatch } from "../../../notifications/follow.ts";
import { fileColumns } from "../../deletion/files.ts";
import { copyRows } from "./copy.ts";
import { installGuards, removeGuards } from "./guard.ts";
import { actingTables, largeTables, listTables, realmOfJob, unguarded, type MovedTable } from "./tables.ts";

export interface Move {
  realm: { id: number; host: string };
  from: { cell: number; db: Db; url: string; files: FileStore };
  /** Without files: both cells share a file store. */
  to: { cell: number; url: string; files: FileStore | undefined };
  directory: Directory;
  config: Config;
  /** Called when a phase begins, and with its progress. */
  onPhase: (phase: Phase) => void;
  onRows: (rows: number, total: number) => void;
}

export const phases = [
  "preparing",
  "copying",
  "catching up",
  "frozen",
  "leaving",
  "left",
  "arrived",
  "listed",
  "clearing",
] as const;
export type Phase = (typeof phases)[number];

export interface MoveResult {
  rows: number;
  files: number;
  /** For so long the organization refused changes. */
  pauseMilliseconds: number;
}

/** Fewer changes than this are copied while the organization is frozen. */
const fewChanges = 500;
const maxRounds = 10;
const keysAtOnce = 5000;
/** How long to wait for changes in flight before giving up. */
const freezeMilliseconds = 5000;
/** How long connections of a killed process may take to end. */
const takeoverMilliseconds = 60_000;

const withReplicaRole = "-c session_replication_role=replica";

/** Connections that end soon after this machine does, so that their locks do. */
async function connectTo(url: string, options = ""): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "skein move",
    keepAlive: true,
    options: `-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 ${options}`,
  });
  client.on("error", () => undefined); // the statement that runs, or the next one, fails with it
  await client.connect();
  return client;
}

/** Nobody else moves the organization, and nothing of a killed process is in flight. */
async function takeMoverLock(client: pg.Client, realmId: number): Promise<void> {
  const deadline = performance.now() + takeoverMilliseconds;
  for (;;) {
    const { rows } = await client.query<{ free: boolean }>("select pg_try_advisory_lock($1, hashint8($2)) as free", [
      lockKinds.mover,
      realmId,
    ]);
    if (rows[0]?.free) return;
    if (performance.now() > deadline) throw new Error("Another process is moving this organization.");
    await wait(100);
  }
}

interface Connections {
  /** Reads the source; holds the mover's lock there. */
  reader: pg.Client;
  /** Writes to the target, without triggers and checks of references; holds the mover's lock there. */
  writer: pg.Client;
}

async function withConnections<T>(move: Move, work: (connections: Connections) => Promise<T>): Promise<T> {
  const reader = await connectTo(move.from.url);
  try {
    const writer = await connectTo(move.to.url, withReplicaRole);
    try {
      await takeMoverLock(reader, move.realm.id);
      await takeMoverLock(writer, move.realm.id);
      // Nobody holds it for longer than the process lives.
      await reader.query(
        "select pg_advisory_lock_shared($1, hashint8($2)), pg_advisory_unlock_shared($1, hashint8($2))",
        [lockKinds.moving, move.realm.id],
      );
      return await work({ reader, writer });
    } finally {
      await writer.end();
    }
  } finally {
    await reader.end();
  }
}

/** Moves the organization, or completes a move that was interrupted. If it fails, the organization is alive in one cell. */
export async function moveRealm(move: Move): Promise<MoveResult> {
  try {
    return await attemptMove(move);
  } catch (error) {
    // If this fails as well, the next attempt does it.
    await withConnections(move, (connections) => settle(move, connections)).catch(() => undefined);
    throw error;
  }
}

const attemptMove = (move: Move): Promise<MoveResult> =>
  withConnections(move, async (connections) => {
    if ((await settle(move, connections)) === "there") {
      await clear(move, connections);
      return { rows: 0, files: 0, pauseMilliseconds: 0 };
    }
    const { id, host } = move.realm;
    move.onPhase("preparing");
    if (!(await move.directory.beginMove(host, move.from.cell, move.to.cell)))
      throw new Error(`The directory does not list ${host} under cell ${move.from.cell}, or it is moving elsewhere.`);
    const tables = await listTables(connections.reader, id);
    await removeArrived(connections.writer, tables);
    await beginNoting(move, connections, tables);
    const files = new FileCopy(move);
    const state: Copying = { move, ...connections, tables, files, rows: 0 };
    await copyLarge(state);
    await files.copyAll(connections.reader);
    await catchUp(state);
    const pauseMilliseconds = await freezeAndLeave(state);
    await clear(move, connections);
    return { rows: state.rows, files: files.count, pauseMilliseconds };
  });

/** Gives up a move that has not reached its end: the organization stays, and the target forgets what it has of it. */
export const abandonMove = (move: Move): Promise<"here" | "there"> =>
  withConnections(move, async (connections) => {
    const place = await settle(move, connections);
    if (place === "there") return place;
    const { id, host } = move.realm;
    await removeGuards(connections.reader, id);
    await connections.reader.query("delete from realm_moves where realm_id = $1", [id]);
    await connections.reader.query("delete from realm_move_changes where realm_id = $1", [id]);
    await removeArrived(connections.writer, await listTables(connections.reader, id));
    await move.directory.abandonMove(host, move.from.cell);
    return place;
  });

/** Decides where the organization is after a move that was interrupted in its last step. */
async function settle(
  { realm, from, to, directory }: Move,
  { reader, writer }: Connections,
): Promise<"here" | "there"> {
  const listed = await directory.find(realm.host);
  if (listed?.cell === to.cell) return "there";
  const { rows } = await reader.query<{ has_left: boolean }>("select has_left from realm_moves where realm_id = $1", [
    realm.id,
  ]);
  if (rows[0]?.has_left !== true) return "here";
  if (await hasArrived(writer, realm.id)) {
    await directory.completeMove(realm.host, from.cell, to.cell);
    return "there";
  }
  await reader.query("update realm_moves set has_left = false where realm_id = $1", [realm.id]);
  await reader.query("update realms set moved_to = null where id = $1", [realm.id]);
  return "here";
}

async function hasArrived(writer: pg.Client, realmId: number): Promise<boolean> {
  return (await writer.query("select from realms where id = $1", [realmId])).rowCount === 1;
}

/** Of an earlier attempt. The organization itself is not there, so nothing refers to these rows. */
async function removeArrived(writer: pg.Client, tables: readonly MovedTable[]): Promise<void> {
  for (const { name, condition } of tables.toReversed()) await writer.query(`delete from ${name} t where ${condition}`);
}

async function beginNoting({ realm, to }: Move, { reader }: Connections, tables: readonly MovedTable[]): Promise<void> {
  await reader.query(
    `insert into realm_moves (realm_id, to_cell) values ($1, $2)
    on conflict (realm_id) do update set to_cell = excluded.to_cell, begun_at = now()`,
    [realm.id, to.cell],
  );
  await installGuards(reader, realm.id, tables);
  await reader.query("delete from realm_move_changes where realm_id = $1", [realm.id]);
}

interface Copying extends Connections {
  move: Move;
  tables: MovedTable[];
  files: FileCopy;
  rows: number;
}

/** SQL for the target's id of each client, which cells number by themselves. */
async function clientMap({ reader, writer }: Connections): Promise<string> {
  const { rows: clients } = await reader.query<{ id: number; name: string }>("select id, name from clients");
  await writer.query("insert into clients (name) select unnest($1::text[]) on conflict do nothing", [
    clients.map(({ name }) => name),
  ]);
  const { rows: theirs } = await writer.query<{ id: number; name: string }>("select id, name from clients");
  const byName = new Map(theirs.map(({ id, name }) => [name, id]));
  const pairs = clients.map(({ id, name }) => `(${id}, ${byName.get(name)})`);
  return `(values (null::integer, null::integer) ${pairs.map((pair) => `, ${pair}`).join("")}) as map (here, there)`;
}

async function copyTable(state: Copying, table: MovedTable, condition: string, onRows?: (rows: number) => void) {
  const { reader, writer } = state;
  const map = table.clientColumns.length > 0 ? await clientMap(state) : "";
  const chosen = table.columns.map((column) =>
    table.clientColumns.includes(column) ? `(select there from ${map} where here = t.${column})` : `t.${column}`,
  );
  const query = `select ${chosen.join(", ")} from ${table.name} t where ${condition}`;
  state.rows += await copyRows(
    { client: reader, query },
    { client: writer, table: table.name, columns: table.columns },
    onRows,
  );
}

/** Count and checksum of some rows. Ids of clients differ between cells. */
async function checksum(client: pg.Client, table: MovedTable, condition: string): Promise<string> {
  const compared = table.columns
    .filter((column) => !table.clientColumns.includes(column))
    .map((column) => `t.${column}`);
  const { rows } = await client.query<{ sum: string }>(
    `select count(*) || ' ' || coalesce(sum(hashtextextended(row(${compared.join(", ")})::text, 0)::numeric), 0) as sum
    from ${table.name} t where ${condition}`,
  );
  return rows[0]?.sum ?? "";
}

async function compare({ reader, writer }: Connections, table: MovedTable, condition: string): Promise<void> {
  const [here, there] = await Promise.all([checksum(reader, table, condition), checksum(writer, table, condition)]);
  if (here !== there)
    throw new Error(`${table.name} differs between the cells (${here}; ${there}). Nothing was moved.`);
}

const isLarge = ({ name }: MovedTable) => name in largeTables;

async function copyLarge(state: Copying): Promise<void> {
  const { move, reader, tables } = state;
  move.onPhase("copying");
  await clientMap(state);
  await reader.query("begin isolation level repeatable read read only");
  try {
    const large = tables.filter(isLarge);
    let total = 0;
    for (const { name, condition } of large) {
      const { rows } = await reader.query<{ count: number }>(`select count(*) from ${name} t where ${condition}`);
      total += rows[0]?.count ?? 0;
    }
    let done = 0;
    for (const table of large) {
      await copyTable(state, table, table.condition, (rows) => move.onRows((done += rows), total));
      await compare(state, table, table.condition);
    }
  } finally {
    await reader.query("commit");
  }
}

/** What has changed and was not copied again yet: ids of messages by table. Forgets it. */
async function takeChanges({ reader, move }: Copying): Promise<Map<string, number[]>> {
  const { rows } = await reader.query<{ table_name: string; key: number }>(
    "delete from realm_move_changes where realm_id = $1 returning table_name, key",
    [move.realm.id],
  );
  const byTable = Map.groupBy(rows, ({ table_name }) => table_name);
  return new Map([...byTable].map(([name, all]) => [name, [...new Set(all.map(({ key }) => key))]]));
}

async function applyChanges(
  state: Copying,
  changes: ReadonlyMap<string, number[]>,
  isCompared: boolean,
): Promise<void> {
  const { writer, tables, move } = state;
  for (const table of tables.filter(isLarge)) {
    const keys = changes.get(table.name) ?? [];
    for (let at = 0; at < keys.length; at += keysAtOnce) {
      const some = `t.${largeTables[table.name]} = any('{${keys.slice(at, at + keysAtOnce).join(",")}}'::bigint[])`;
      const condition = `${some} and t.realm_id = ${move.realm.id}`;
      await writer.query(`delete from ${table.name} t where ${condition}`);
      await copyTable(state, table, condition);
      if (isCompared) await compare(state, table, condition);
    }
  }
}

const sizeOf = (changes: ReadonlyMap<string, number[]>): number =>
  [...changes.values()].reduce((sum, keys) => sum + keys.length, 0);

/** A round takes less time than the one before, because less has changed meanwhile. */
async function catchUp(state: Copying): Promise<void> {
  state.move.onPhase("catching up");
  for (let round = 1; round <= maxRounds; round++) {
    const changes = await takeChanges(state);
    await applyChanges(state, changes, false);
    await state.files.copyAll(state.reader);
    if (sizeOf(changes) < fewChanges) return;
  }
}

async function freezeAndLeave(state: Copying): Promise<number> {
  const { move, reader, writer } = state;
  const { id } = move.realm;
  return move.from.db.connection().execute(async (holder) => {
    const begun = performance.now();
    const take = (kind: number) => sql`select pg_advisory_lock(${sql.lit(kind)}, hashint8(${id}))`.execute(holder);
    await sql`set lock_timeout = ${sql.lit(freezeMilliseconds)}`.execute(holder);
    try {
      await take(lockKinds.moving);
      move.onPhase("frozen");
      await notifyOfAll(move);
      await take(lockKinds.movingNotifications);
      await writer.query("begin");
      await applyChanges(state, await takeChanges(state), true);
      await copySmall(state);
      await indexRest(state);
      await copyJobs(state);
      await state.files.copyAll(reader);
      move.onPhase("leaving");
      await transaction(holder, "leave for another cell", async (tx) => {
        await sql`update realms set moved_to = ${move.to.cell} where id = ${id}`.execute(tx);
        await endQueues(tx, id);
        await sql`update realm_moves set has_left = true where realm_id = ${id}`.execute(tx);
      });
      move.onPhase("left");
      await writer.query("commit");
      move.onPhase("arrived");
      await move.directory.completeMove(move.realm.host, move.from.cell, move.to.cell);
      move.onPhase("listed");
      return performance.now() - begun;
    } finally {
      await sql`select pg_advisory_unlock_all()`.execute(holder);
      await sql`reset lock_timeout`.execute(holder);
    }
  });
}

/** In the target its messages count as processed, so the source has to decide who is notified of each. */
async function notifyOfAll({ config, from: { db }, realm }: Move): Promise<void> {
  const isLeft = async () => {
    const { rows } = await sql<{ left: boolean }>`
      select exists (
        select from messages m, notification_progress p
        where m.id > p.settled and not m.id <@ p.seen and m.realm_id = ${realm.id}) as left`.execute(db);
    return rows[0]?.left === true;
  };
  while (await isLeft()) if (!(await followBatch({ config, db }, 0))) await wait(20);
}

async function copySmall(state: Copying): Promise<void> {
  for (const table of state.tables) {
    if (isLarge(table)) continue;
    await copyTable(state, table, table.condition);
    if (!unguarded.includes(table.name)) await compare(state, table, table.condition);
  }
}

/** In the target its messages count as indexed. */
async function indexRest({ move, reader, writer }: Copying): Promise<void> {
  const { rows } = await reader.query<{ from: number; to: number }>(
    `select p.message_id as from, (select max(id) from messages where realm_id = $1 and id > p.message_id) as to
    from search_progress p`,
    [move.realm.id],
  );
  const [range] = rows;
  if (!range) return;
  const vector = wordsOfMessage(sql`r.search_language`, sql`m.rendered_content`, sql`m.realm_id`).compile(move.from.db);
  await writer.query(
    `insert into message_search (message_id, realm_id, vector)
    select m.id, m.realm_id, ${vector.sql} from messages m join realms r on r.id = m.realm_id
    where m.id > $1 and m.id <= $2 and m.realm_id = $3 on conflict do nothing`,
    [range.from, range.to, move.realm.id],
  );
}

const jobsOfRealm = `
  from graphile_worker._private_jobs j join graphile_worker._private_tasks k on k.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    cross join lateral (select j.payload as p) as given
  where case k.identifier
    ${Object.entries(realmOfJob)
      .flatMap(([name, realm]) => (realm === null ? [] : `when '${name}' then ${realm}`))
      .join(" ")} end = $1`;

async function copyJobs({ move, reader, writer }: Copying): Promise<void> {
  const { rows } = await reader.query<Record<string, unknown>>(
    `select k.identifier, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key, j.priority ${jobsOfRealm} order by j.id`,
    [move.realm.id],
  );
  for (const { identifier, payload, queue_name, run_at, max_attempts, key, priority } of rows)
    await writer.query(
      `select graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4::timestamptz,
        max_attempts => $5::integer, job_key => $6, priority => $7::integer)`,
      [identifier, JSON.stringify(payload), queue_name, run_at, max_attempts, key, priority],
    );
}

/** After the move: workers of the source have nothing to do for the organization any more. Safe to repeat. */
async function clear({ realm, onPhase }: Move, { reader }: Connections): Promise<void> {
  onPhase("clearing");
  await removeGuards(reader, realm.id);
  await reader.query("begin");
  await reader.query(
    `delete from graphile_worker._private_jobs where id in (select j.id ${jobsOfRealm}) and locked_at is null`,
    [realm.id],
  );
  for (const name of actingTables) await reader.query(`delete from ${name} where realm_id = $1`, [realm.id]);
  await reader.query("update realms set deactivated = true where id = $1 and not deactivated", [realm.id]);
  await reader.query("delete from realm_moves where realm_id = $1", [realm.id]);
  await reader.query("delete from realm_move_changes where realm_id = $1", [realm.id]);
  await reader.query("commit");
}

/** Copies files that the target does not have yet. Files never change under their key. */
class FileCopy {
  readonly #move: Move;
  readonly #copied = new Set<string>();
  count = 0;

  constructor(move: Move) {
    this.#move = move;
  }

  async copyAll(reader: pg.Client): Promise<void> {
    const { from, to, realm } = this.#move;
    if (!to.files) return;
    for (const [table, { columns, keys }] of Object.entries(fileColumns)) {
      const own = table === "realms" ? "t.id" : "t.realm_id";
      const { rows } = await reader.query<Record<string, unknown>>(
        `select ${columns} from ${table} t where ${own} = $1`,
        [realm.id],
      );
      for (const key of rows.flatMap(keys)) {
        if (this.#copied.has(key)) continue;
        this.#copied.add(key);
        const size = await from.files.size(key);
        if (size === undefined || (await to.files.size(key)) === size) continue;
        const file = await from.files.open(key);
        if (!file) continue;
        await to.files.putStream(key, file.body, file.contentType);
        this.count++;
      }
    }
  }
}
