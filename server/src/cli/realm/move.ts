import { sql } from "kysely";
import { cellNumber } from "../../domain/data/cells/list-hosts.ts";
import { checkMove } from "../../domain/data/cells/move/check.ts";
import { abandonMove, moveRealm, type Move, type MoveResult } from "../../domain/data/cells/move/move.ts";
import { requestDeletion } from "../../domain/data/deletion/request.ts";
import { settings, type Config } from "../../config.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { Directory } from "../../platform/directory/directory.ts";
import { FolderStore } from "../../platform/file-store.ts";
import { openFileStore } from "../../platform/open-file-store.ts";
import { SecretBox } from "../../platform/secret-box.ts";
import { findOrganization } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDirectory } from "../cell/directory.ts";
import { withDatabase } from "../database.ts";

export const realmMove = command({
  args: ["SHORT_NAME"],
  options: {
    to: { type: "string", value: "CELL", description: "The cell to move to: its name or number." },
    files: {
      type: "string",
      value: "DIR",
      description: "Copy files into this folder, the other cell's SKEIN_FILES_DIR, reachable from here.",
    },
    "shared-files": { type: "boolean", description: "Both cells use the same file store; no file is copied." },
    "dry-run": { type: "boolean", description: "Check everything and say what would be moved." },
    abandon: {
      type: "boolean",
      description: "Give up a move that was interrupted: the organization stays where it is.",
    },
    forget: {
      type: "boolean",
      description: "After a move: delete the rows that the organization has left here.",
    },
    "delete-files": {
      type: "boolean",
      description: "With --forget: delete its files, too. Only if the other cell has a file store of its own.",
    },
  },
  details: [
    "Run it with the settings of the cell that the organization is in, SKEIN_DIRECTORY_URL, and SKEIN_TARGET_DATABASE_URL. Both cells need " +
      "the same release and the same SKEIN_SECRET. Keys, sessions and ids stay valid. An organization moves only to a cell with a " +
      "higher number.",
    "People keep working while it is copied. At the end changes are refused for a few seconds, with status 503, which clients retry; " +
      "then clients register once. If the command is interrupted, run it again: it continues or starts over.",
    "The rows stay in the old cell until you run it there with --forget.",
  ],
  examples: [
    "skein realm move denmark --to second --files /mnt/second/files --dry-run",
    "skein realm move denmark --to second --files /mnt/second/files",
    "skein realm move denmark --forget",
  ],
  run: async ({ args: [name = ""], options, answer }) => {
    if (options.forget) {
      const left = await withDirectory((directory) =>
        withDatabase((db) => forget(db, directory, name, !options["delete-files"])),
      );
      answer(
        { ...left, finished: false },
        `A worker deletes the rows of ${left.host} here. See \`skein realm list\` for the progress.`,
      );
      return;
    }
    if (options.to === undefined) throw new UsageError("--to is missing");
    if ((options.files === undefined) === !options["shared-files"])
      throw new UsageError("Give --files DIR, or --shared-files if both cells use the same file store.");
    const { to } = options;
    await withDirectory((directory) =>
      withDatabase(async (db, config) => {
        const progress = new Progress();
        const move = await prepare(db, config, directory, { name, to, files: options.files, progress });
        const plan = await checkMove(move, new SecretBox(config.secret, config.secondSecret));
        const about = { host: move.realm.host, from: move.from.cell, to: move.to.cell, ...plan };
        if (options["dry-run"]) {
          answer(
            { ...about, dry_run: true },
            `${about.host} can be moved to cell ${about.to}: ${plan.messages} messages.`,
          );
        } else if (options.abandon) {
          const place = await abandonMove(move);
          if (place === "there")
            throw new Error(`${about.host} is in cell ${about.to} already. Run the command without --abandon.`);
          answer({ ...about, abandoned: true }, `${about.host} stays in cell ${about.from}.`);
        } else answer(...describe(about, await moveRealm(move)));
      }),
    );
  },
});

interface Wanted {
  name: string;
  to: string;
  files: string | undefined;
  progress: Progress;
}

async function prepare(
  db: Db,
  config: Config,
  directory: Directory,
  { name, to, files, progress }: Wanted,
): Promise<Move> {
  const cell = await cellNumber(db);
  if (cell === undefined) throw new Error("This installation is not a cell yet: see `skein cell add`.");
  const { cells } = await directory.read();
  const target = cells.find((one) => one.name === to || String(one.number) === to);
  if (!target) throw new Error(`Unknown cell ${to}. See \`skein cell list\`.`);
  if (config.targetDatabaseUrl === "")
    throw new Error(`Set ${settings.targetDatabaseUrl.variable} to the URL of that cell's database.`);
  const { id, host } = await findOrganization(db, name);
  if (host === null)
    throw new Error("An organization without a host name cannot move. Give it one: `skein realm rename --host`.");
  return {
    realm: { id, host: host.toLowerCase() },
    from: { cell, db, url: config.databaseUrl, files: await openFileStore(config) },
    to: {
      cell: target.number,
      url: config.targetDatabaseUrl,
      files: files === undefined ? undefined : new FolderStore(files),
    },
    directory,
    config,
    onPhase: (phase) => progress.begin(phase),
    onRows: (rows, total) => progress.show(rows, total),
  };
}

function describe(
  about: { host: string; to: number },
  { rows, files, pauseMilliseconds }: MoveResult,
): [object, string] {
  const pause = Math.round(pauseMilliseconds) / 1000;
  return [
    { ...about, rows, files, pause_seconds: pause },
    `${about.host} is in cell ${about.to}: ${rows} rows, ${files} files. Changes were refused for ${pause} s.`,
  ];
}

async function forget(db: Db, directory: Directory, name: string, keepsFiles: boolean) {
  const realm = await findOrganization(db, name);
  const { id, host, moved_to } = realm;
  const listed = host === null ? undefined : await directory.find(host.toLowerCase());
  if (moved_to === null || listed?.cell !== moved_to)
    throw new Error(`${realm.name} has not moved to another cell. \`skein realm delete\` deletes an organization.`);
  const { rows } = await sql`select from realm_moves where realm_id = ${id}`.execute(db);
  if (rows.length > 0) throw new Error("The move is not finished. Run it again first.");
  await transaction(db, "forget a moved organization", (tx) => requestDeletion(tx, realm, { keepsFiles }));
  return { id, host, moved_to };
}

/** Shows phases, and rows with their rate and the time left, on standard error. */
class Progress {
  #since = performance.now();
  #shownAt = 0;

  begin(phase: string): void {
    this.#since = performance.now();
    process.stderr.write(`${phase}\n`);
  }

  show(rows: number, total: number): void {
    const now = performance.now();
    if (now - this.#shownAt < 1000 && rows < total) return;
    this.#shownAt = now;
    const rate = rows / Math.max((now - this.#since) / 1000, 0.001);
    const left = Math.ceil((total - rows) / Math.max(rate, 1));
    process.stderr.write(`  ${rows} of ${total} rows, ${Math.round(rate)} a second, ${left} s left\n`);
  }
}
