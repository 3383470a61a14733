/** Checks that the files the database refers to are in storage: uploads, avatars, emoji, icons and logos, exports. */
import { sql } from "kysely";
import type { Config } from "../config.ts";
import { pictureKey } from "../domain/administration/realm-icon/file.ts";
import { exportKey } from "../domain/data/exports/address.ts";
import { uploadKey } from "../domain/messages/uploads/file-name.ts";
import { emojiKey } from "../domain/organization/emoji/file.ts";
import { avatarKeys } from "../domain/people/avatars/file.ts";
import type { Db } from "../platform/db/connect.ts";
import type { FileStore } from "../platform/file-store.ts";
import { openFileStore } from "../platform/open-file-store.ts";
import type { Option } from "./command.ts";
import { failed, ok, type Finding } from "./finding.ts";

interface Reference {
  /** The row's id, by which rows are read in batches. */
  id: number;
  keys: string[];
  /** The length of the file, if the database records it. */
  size?: number;
}

/** Reads the rows of one kind after an id, in order; at most `limit` of them. */
type ReadBatch = (db: Db, after: number, limit: number) => Promise<Reference[]>;

const kinds: Record<string, ReadBatch> = {
  uploads: async (db, after, limit) => {
    const rows = await db
      .selectFrom("attachments")
      .select(["id", "path_id", "size"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(({ id, path_id, size }) => ({ id, keys: [uploadKey(path_id)], size }));
  },
  avatars: async (db, after, limit) => {
    const { rows } = await sql<{ id: number; avatar_key: string }>`select id, avatar_key from users
      where avatar_key is not null and id > ${after} order by id limit ${limit}`.execute(db);
    return rows.map(({ id, avatar_key }) => ({ id, keys: avatarKeys(avatar_key) }));
  },
  emoji: async (db, after, limit) => {
    const rows = await db
      .selectFrom("custom_emoji")
      .select(["id", "realm_id", "file_name", "still_file_name"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(({ id, realm_id, file_name, still_file_name }) => ({
      id,
      keys: [file_name, still_file_name].flatMap((name) =>
        name === null ? [] : [emojiKey({ realm_id, file_name: name })],
      ),
    }));
  },
  "icons and logos": async (db, after, limit) => {
    const rows = await db
      .selectFrom("realms")
      .select(["id", "icon_key", "logo_key", "night_logo_key"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(({ id, icon_key, logo_key, night_logo_key }) => ({
      id,
      keys: [icon_key, logo_key, night_logo_key].flatMap((key) => (key === null ? [] : [pictureKey(key)])),
    }));
  },
  exports: async (db, after, limit) => {
    const { rows } = await sql<{ id: number; realm_id: number; secret: string; size: number | null }>`
      select id, realm_id, secret, size from realm_exports
      where finished_at is not null and deleted_at is null and id > ${after} order by id limit ${limit}`.execute(db);
    return rows.map((row) => ({
      id: row.id,
      keys: [exportKey(row)],
      ...(row.size === null ? {} : { size: row.size }),
    }));
  },
};

/** The options of commands that call checkFileReferences(). */
export const fileOptions = {
  "all-files": { type: "boolean", description: "Look for every file, not for a sample." },
} as const satisfies Record<string, Option>;

const batchSize = 500;
/** About this many rows of a batch, if not all files are looked for. */
const sampleSize = 20;
const atATime = 16;
const shown = 3;

interface Count {
  checked: number;
  /** Missing files, and files of another length than the database says. */
  wrong: string[];
}

/** Prints its progress to standard error. */
export async function checkFileReferences(
  config: Config,
  db: Db,
  options: { "all-files": boolean },
): Promise<Finding[]> {
  const files = await openFileStore(config);
  const findings: Finding[] = [];
  for (const [kind, read] of Object.entries(kinds)) {
    const count: Count = { checked: 0, wrong: [] };
    let [after, rows, wholeRows] = [0, 0, 0];
    for (;;) {
      const batch = await read(db, after, batchSize);
      if (batch.length === 0) break;
      wholeRows += batch.length;
      after = batch.at(-1)?.id ?? after;
      const chosen = options["all-files"] ? batch : sampleOf(batch);
      rows += chosen.length;
      await checkBatch(files, chosen, count);
      if (wholeRows % (20 * batchSize) === 0)
        process.stderr.write(`${kind}: ${wholeRows} rows read, ${count.checked} files checked\n`);
    }
    findings.push(toFinding(kind, count, { rows, wholeRows }));
  }
  return findings;
}

/** Every n-th reference of a batch, and its last one: the newest files are what a backup misses first. */
function sampleOf(batch: Reference[]): Reference[] {
  const step = Math.max(1, Math.floor(batch.length / sampleSize));
  return batch.filter((_, index) => index % step === 0 || index === batch.length - 1);
}

async function checkBatch(files: FileStore, batch: Reference[], count: Count): Promise<void> {
  const waiting = batch.flatMap(({ keys, size }) => keys.map((key) => ({ key, size })));
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const found = await files.size(next.key);
      count.checked++;
      if (found === undefined) count.wrong.push(`${next.key} is missing`);
      else if (next.size !== undefined && found !== next.size)
        count.wrong.push(`${next.key} has ${found} bytes instead of ${next.size}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
}

function toFinding(kind: string, { checked, wrong }: Count, rows: { rows: number; wholeRows: number }): Finding {
  const extent = rows.rows === rows.wholeRows ? `all ${checked} files` : `a sample of ${checked} files`;
  if (wrong.length === 0) return ok(`files: ${kind}`, `${extent} are in storage`);
  return failed(
    `files: ${kind}`,
    `${wrong.length} of ${checked} are missing or damaged: ${wrong.toSorted().slice(0, shown).join(", ")}${wrong.length > shown ? " …" : ""}`,
    "Restore them from a backup of SKEIN_FILES_DIR or the bucket that is at least as new as the database's backup.",
  );
}
