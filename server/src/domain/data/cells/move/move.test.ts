import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { updateMessage } from "@skein/api/edits.ts";
import { deleteMessage } from "@skein/api/deletion.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { createScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../../../../../test/actions.ts";
import { newDirectoryUrl, startCell, type TestCell } from "../../../../../test/cells.ts";
import { bareEnvironment } from "../../../../../test/command-line.ts";
import { Commands } from "../../../../../test/commands.ts";
import { fetchAs, uploadAs } from "../../../../../test/files.ts";
import { nodes } from "../../../../../test/nodes.ts";
import { newRealm, success, TestUser, TestRealm } from "../../../../../test/realm.ts";
import { Directory } from "../../../../platform/directory/directory.ts";
import { FolderStore } from "../../../../platform/file-store.ts";
import { tablesInOrder } from "../../deletion/tables.ts";
import { moveRealm, phases, type Move, type Phase } from "./move.ts";
import { actingTables, largeTables, leftOut, notificationTables, ofServer, othersOfRealm } from "./tables.ts";

test("every table is copied, or named as one that is not", async () => {
  const [{ ctx }] = await nodes();
  const { rows } = await sql<{ name: string; has_realm: boolean }>`
    select c.relname as name, bool_or(a.attname = 'realm_id') as has_realm
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1`.execute(ctx.db);
  const [withRealm, without] = [rows.filter((row) => row.has_realm), rows.filter((row) => !row.has_realm)];

  expect(without.map(({ name }) => name).toSorted()).toEqual(
    [...Object.keys(othersOfRealm), ...Object.keys(ofServer)].toSorted(),
  );
  const named = [...Object.keys(largeTables), ...Object.keys(leftOut), ...actingTables, ...notificationTables];
  expect(named.filter((name) => !withRealm.some((row) => row.name === name))).toEqual([]);
  const { rows: toClients } = await sql<{ column: string }>`
    select table_name || '.' || column_name as column from information_schema.columns
    where table_schema = 'public' and column_name like '%client%' and data_type = 'integer'`.execute(ctx.db);
  expect(toClients).toEqual([{ column: "messages.client_id" }]);
});

interface Cells {
  first: TestCell;
  second: TestCell;
  directory: Directory;
}

async function startCells(): Promise<Cells> {
  const directoryUrl = await newDirectoryUrl();
  const [first, second] = [await startCell(directoryUrl, 0), await startCell(directoryUrl, 1)];
  return { first, second, directory: new Directory(directoryUrl) };
}

async function moveOf(
  { first, second, directory }: Cells,
  realm: TestRealm,
  onPhase: (phase: Phase) => void = () => undefined,
): Promise<Move> {
  await directory.addHosts(0, [realm.host]);
  return {
    realm: { id: realm.id, host: realm.host },
    from: { cell: 0, db: first.ctx.db, url: first.ctx.config.databaseUrl, files: first.ctx.files },
    to: { cell: 1, url: second.ctx.config.databaseUrl, files: new FolderStore(second.ctx.config.filesDir) },
    directory,
    config: first.ctx.config,
    onPhase,
    onRows: () => undefined,
  };
}

/** The same user at another cell. */
const at = (cell: TestCell, user: TestUser): TestUser => {
  const realm = new TestRealm(user.realm.id, user.realm.host, [cell]);
  return new TestUser(realm, user.id, user.email, user.fullName, user.apiKey);
};

/** Counts of the organization's rows by table, without tables that stay behind. */
async function rowsOf({ ctx }: TestCell, realmId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tablesInOrder(ctx.db)) {
    if (table in leftOut || actingTables.includes(table) || table === "presences") continue;
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(table)} where realm_id = ${realmId}`.execute(ctx.db);
    if (rows[0]?.count) counts[table] = rows[0].count;
  }
  return counts;
}

/** Writes without pause, as a client does that repeats what was refused and not what was acknowledged. */
class Writer {
  readonly acknowledged = new Map<string, number>();
  readonly #channel: number;
  #isOver = false;
  #cell: TestCell;
  refusals = 0;
  readonly #user: TestUser;
  readonly #done: Promise<void>;

  constructor(user: TestUser, channel: number, cells: Cells) {
    this.#user = user;
    this.#channel = channel;
    this.#cell = cells.first;
    this.#done = this.#write(cells);
    this.#done.catch(() => undefined); // stop() throws it
  }

  async #write({ first, second, directory }: Cells): Promise<void> {
    while (!this.#isOver) {
      const content = randomBytes(8).toString("hex");
      for (;;) {
        const answer = await at(this.#cell, this.#user).call(sendMessage, {
          type: "stream",
          to: this.#channel,
          topic: "ledger",
          content,
        });
        if (answer.result === "success") {
          this.acknowledged.set(content, answer.id);
          break;
        }
        if (answer.code !== "READ_ONLY") throw new Error(`${answer.code}: ${answer.msg}`);
        this.refusals++;
        // What a router does.
        this.#cell = (await directory.find(this.#user.realm.host))?.cell === 1 ? second : first;
        if (this.#isOver) return;
      }
    }
  }

  async stop(): Promise<Map<string, number>> {
    this.#isOver = true;
    await this.#done;
    return this.acknowledged;
  }
}

/** All messages of the topic, as the database has them. */
async function stored({ ctx }: TestCell, realmId: number): Promise<Map<string, number>[]> {
  const { rows } = await sql<{ id: number; content: string }>`
    select id, content from messages where realm_id = ${realmId} and content ~ '^[0-9a-f]{16}$' order by id`.execute(
    ctx.db,
  );
  return rows.map(({ id, content }) => new Map([[content, id]]));
}

async function expectLedger(cell: TestCell, realmId: number, acknowledged: Map<string, number>): Promise<void> {
  const found = await stored(cell, realmId);
  const all = new Map(found.flatMap((one) => [...one]));
  expect(found.length).toBe(all.size); // nothing is doubled
  const lost = [...acknowledged].filter(([content, id]) => all.get(content) !== id);
  expect(lost).toEqual([]);
}

test("an organization moves while people write: nothing is lost or doubled, keys and files stay valid, others see nothing", async () => {
  const cells = await startCells();
  const { first, second, directory } = cells;
  const realm = await newRealm([first]);
  const other = await newRealm([first]);
  const neighbour = await newRealm([second]);
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "court");
  const file = await uploadAs(hamlet);
  const kept = await sendToChannel(hamlet, channel, { content: `[note](${file}) before` });
  const edited = await sendToChannel(hamlet, channel, { content: "edited later" });
  const deleted = await sendToChannel(realm.admin, channel, { content: "deleted later" });
  const direct = await sendDirect(hamlet, [realm.admin]);
  const secret = await sendDirect(other.admin, [other.admin]);
  success(await hamlet.call(addReaction, { message_id: kept, emoji_name: "tada" }));
  const later = Math.floor(Date.now() / 1000) + 3600;
  success(
    await hamlet.call(createScheduledMessage, {
      type: "direct",
      to: [hamlet.id],
      content: "x",
      scheduled_delivery_timestamp: later,
    }),
  );
  const queue = await hamlet.register(["message"]);
  const before = await rowsOf(first, realm.id);
  const writers = [hamlet, realm.admin].map((user) => new Writer(user, channel.id, cells));

  const changed: Promise<unknown>[] = [];
  const move = await moveOf(cells, realm, (phase) => {
    if (phase !== "catching up") return;
    changed.push(
      hamlet.call(updateMessage, { message_id: edited, content: "edited" }),
      realm.admin.call(deleteMessage, { message_id: deleted }),
      hamlet.call(addReaction, { message_id: direct, emoji_name: "heart" }),
    );
  });
  const { pauseMilliseconds } = await moveRealm(move);
  const answers = await Promise.all(changed);
  const there = at(second, hamlet);
  const { id: after } = success(
    await there.call(sendMessage, { type: "stream", to: channel.id, topic: "after", content: "after the move" }),
  );
  const acknowledged = new Map((await Promise.all(writers.map((writer) => writer.stop()))).flatMap((all) => [...all]));

  expect(pauseMilliseconds).toBeLessThan(10_000);
  expect((await directory.find(realm.host))?.cell).toBe(1);
  expect(acknowledged.size).toBeGreaterThan(10);
  expect(writers.reduce((sum, writer) => sum + writer.refusals, 0)).toBeGreaterThan(0);
  await expectLedger(second, realm.id, acknowledged);
  expect(after).toBeGreaterThan(Math.max(kept, ...[...acknowledged.values()].filter((id) => id < 2 ** 40)));
  const { messages } = success(
    await there.call(getMessages, { anchor: "newest", num_before: 5000, num_after: 0, apply_markdown: false }),
  );
  const byId = new Map(messages.map((message) => [message.id, message]));
  expect(byId.get(kept)).toMatchObject({ content: `[note](${file}) before`, reactions: [{ emoji_name: "tada" }] });
  const [edit, deletion, reaction] = answers as { result: string }[];
  expect(byId.get(edited)?.content).toBe(edit?.result === "success" ? "edited" : "edited later");
  expect(byId.has(deleted)).toBe(deletion?.result !== "success");
  expect(byId.get(direct)?.reactions.length).toBe(reaction?.result === "success" ? 1 : 0);
  expect(byId.has(secret)).toBe(false);
  for (const table of Object.keys(before)) expect(Object.keys(await rowsOf(second, realm.id))).toContain(table);
  expect((await fetchAs(there, file)).status).toBe(200);
  const { rows: jobs } = await sql`
    select from graphile_worker.jobs where task_identifier = 'deliver-scheduled-message'`.execute(second.ctx.db);
  expect(jobs.length).toBe(1);

  // The old cell answers nobody, and its queues are over.
  expect(await hamlet.call(getOwnUser, {})).toMatchObject({ code: "READ_ONLY" });
  expect((await fetchAs(realm, "/api/v1/server_settings")).status).toBe(503);
  await expect(queue.all()).rejects.toThrow(/READ_ONLY|BAD_EVENT_QUEUE_ID|being moved/);
  await there.register();
  // Organizations beside it are not affected.
  success(await other.admin.call(getOwnUser, {}));
  expect(await at(second, other.admin).call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await at(second, neighbour.admin).call(getOwnUser, {})).toMatchObject({ result: "success" });
  await sendDirect(other.admin, [other.admin]);
});

/** Not by a request: a node remembers for a while that it does not know a key. */
async function isAlive({ ctx }: TestCell, realmId: number): Promise<boolean> {
  const { rows } = await sql`select from realms where id = ${realmId} and moved_to is null`.execute(ctx.db);
  return rows.length === 1;
}

test("a move that is interrupted in any phase leaves the organization alive in one cell, and can be completed", async () => {
  const cells = await startCells();
  const { first, second, directory } = cells;
  for (const last of phases) {
    const realm = await newRealm([first]);
    const hamlet = await realm.user("hamlet");
    const channel = await channelOf([realm.admin, hamlet], "court");
    const writer = new Writer(hamlet, channel.id, cells);
    await expect.poll(() => writer.acknowledged.size).toBeGreaterThan(3);

    const interrupted = await moveOf(cells, realm, (phase) => {
      if (phase === last) throw new Error(`interrupted while ${phase}`);
    });
    await expect(moveRealm(interrupted)).rejects.toThrow("interrupted");

    // Alive in exactly one: the other refuses.
    const place = (await directory.find(realm.host))?.cell === 1 ? second : first;
    const before = writer.acknowledged.size;
    await expect.poll(() => writer.acknowledged.size).toBeGreaterThan(before);
    expect([await isAlive(first, realm.id), await isAlive(second, realm.id)]).toEqual([
      place === first,
      place === second,
    ]);
    await moveRealm(await moveOf(cells, realm));
    const acknowledged = await writer.stop();
    expect((await directory.find(realm.host))?.cell).toBe(1);
    await expectLedger(second, realm.id, acknowledged);
  }
}, 240_000);

/** Runs the command as a process of its own, and kills it when it says that this phase begins. Returns whether it was killed. */
async function runAndKill({ first, second }: Cells, shortName: string, phase: Phase | undefined): Promise<boolean> {
  const program = join(import.meta.dirname, "../../../../cli/main.ts");
  const { config } = first.ctx;
  const child = spawn(
    process.execPath,
    [program, "realm", "move", shortName, "--to", "cell-1", "--files", second.ctx.config.filesDir],
    {
      env: {
        ...bareEnvironment(),
        SKEIN_DATABASE_URL: config.databaseUrl,
        SKEIN_DIRECTORY_URL: config.directoryUrl,
        SKEIN_TARGET_DATABASE_URL: second.ctx.config.databaseUrl,
        SKEIN_FILES_DIR: config.filesDir,
        SKEIN_SECRET: config.secret,
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += String(chunk);
    if (phase !== undefined && text.split("\n").includes(phase)) child.kill("SIGKILL");
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal === null && code !== 0) throw new Error(text);
  return signal === "SIGKILL";
}

test("a process that moves an organization can be killed at any moment and started again", async () => {
  const cells = await startCells();
  const { first, second, directory } = cells;
  const realm = await newRealm([first]);
  await directory.addHosts(0, [realm.host]);
  const channel = await channelOf([realm.admin], "court");
  const { string_id } = await first.ctx.db
    .selectFrom("realms")
    .select("string_id")
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const writer = new Writer(realm.admin, channel.id, cells);

  for (const phase of ["preparing", "copying", "catching up", "frozen", "leaving"] as const) {
    await runAndKill(cells, string_id, phase);
    if ((await directory.find(realm.host))?.cell === 1) break; // it was faster than the signal
    const { rows } = await sql<{ has_left: boolean }>`
      select has_left from realm_moves where realm_id = ${realm.id}`.execute(first.ctx.db);
    if (rows[0]?.has_left === true) continue; // the next run decides
    const before = writer.acknowledged.size;
    await expect.poll(() => writer.acknowledged.size).toBeGreaterThan(before);
  }
  await runAndKill(cells, string_id, undefined);
  const before = writer.acknowledged.size;
  await expect.poll(() => writer.acknowledged.size).toBeGreaterThan(before);
  const acknowledged = await writer.stop();

  expect((await directory.find(realm.host))?.cell).toBe(1);
  await expectLedger(second, realm.id, acknowledged);
}, 120_000);

test("the command checks first, moves, and deletes what was left only when it is told to", async () => {
  const cells = await startCells();
  const { first, second, directory } = cells;
  const realm = await newRealm([first]);
  await directory.addHosts(0, [realm.host]);
  const { string_id } = await first.ctx.db
    .selectFrom("realms")
    .select("string_id")
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const skein = (config = first.ctx.config, settings: Record<string, string> = {}) =>
    new Commands(
      { config },
      {
        SKEIN_DIRECTORY_URL: first.ctx.config.directoryUrl,
        SKEIN_TARGET_DATABASE_URL: second.ctx.config.databaseUrl,
        ...settings,
      },
    );
  const files = ["--files", second.ctx.config.filesDir];
  const move = ["realm", "move", string_id];

  await expect(skein().text(...move, "--to", "cell-1")).rejects.toThrow("--files");
  await expect(skein().text(...move, "--to", "nowhere", ...files)).rejects.toThrow("Unknown cell");
  await expect(skein().text(...move, "--to", "cell-0", ...files)).rejects.toThrow("higher number");
  const otherSecret = { ...first.ctx.config, secret: "another secret, which is also long enough" };
  await expect(skein(otherSecret).text(...move, "--to", "1", ...files)).rejects.toThrow("SKEIN_SECRET");
  await expect(skein().text(...move, "--forget")).rejects.toThrow("has not moved");
  expect(await skein().json(...move, "--to", "cell-1", ...files, "--dry-run")).toMatchObject({ dry_run: true, to: 1 });
  expect(await skein().json(...move, "--to", "cell-1", ...files, "--abandon")).toMatchObject({ abandoned: true });
  success(await realm.admin.call(getOwnUser, {}));

  expect(await skein().json(...move, "--to", "cell-1", ...files)).toMatchObject({ host: realm.host, to: 1 });
  expect(await skein().text("realm", "list")).toContain("moved to another cell");
  expect((await rowsOf(first, realm.id))["users"]).toBeGreaterThan(0);
  success(await at(second, realm.admin).call(getOwnUser, {}));
  expect(await skein().json(...move, "--forget")).toMatchObject({ moved_to: 1 });
  const { rows } = await sql`select from realm_deletions where id = ${realm.id} and keeps_files`.execute(first.ctx.db);
  expect(rows.length).toBe(1);
});
