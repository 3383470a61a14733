/** Finds statements in expand migrations that the previous release, or its users, would not survive. */
import { createdIndex } from "./concurrent-statements.ts";
import { isOfFirstRelease, type Migration } from "./migration-files.ts";
import { splitStatements, wordsOf } from "./sql-statements.ts";
import { effectsOf, lockModes, type Effect } from "./statement-effects.ts";

export interface LintFinding {
  migration: string;
  text: string;
}

/** Checks all migrations in their order; those of the first release are taken as they are. */
export function lintMigrations(migrations: readonly Migration[]): LintFinding[] {
  const history = new History();
  const backfills = new Set(migrations.flatMap(({ backfill }) => backfill?.name ?? []));
  return migrations.flatMap((migration) => {
    const texts = isOfFirstRelease(migration.name)
      ? []
      : [...lintHeader(migration, backfills), ...lintStatements(migration, history)];
    history.add(migration);
    return texts.map((text) => ({ migration: migration.name, text }));
  });
}

function* lintHeader({ sql, needsBackfills, smallTables }: Migration, backfills: Set<string>): Iterable<string> {
  if (!/^-- phase: /m.test(sql)) yield "has no line `-- phase: expand` or `-- phase: contract`";
  for (const name of needsBackfills) if (!backfills.has(name)) yield `needs the backfill ${name}, which does not exist`;
  const text = splitStatements(sql).join("\n");
  for (const table of smallTables) if (!text.includes(table)) yield `declares ${table} as small and does not use it`;
}

function* lintStatements(migration: Migration, history: History): Iterable<string> {
  const created = new Set<string>();
  const isLocked = new Set<string>();
  for (const statement of splitStatements(migration.sql)) {
    const shown = shorten(statement);
    if (!migration.isTransactional && !isRepeatable(statement))
      yield `"${shown}" may not run outside of a transaction: only concurrent indexes and validations can be repeated`;
    if (migration.isTransactional && wordsOf(statement).includes("concurrently"))
      yield `"${shown}" needs the line "-- transaction: none"`;
    const effects = effectsOf(statement);
    if (!effects) yield `"${shown}": this lint does not know the statement; teach it (statement-effects.ts)`;
    for (const effect of effects ?? []) {
      const { table, validates } = effect;
      // Nobody uses a table before the transaction that creates it commits, and a small one takes a moment.
      if (created.has(table)) continue;
      if (validates !== undefined && isLocked.has(table))
        yield `"${shown}" reads all of ${table} while an earlier statement's lock is held: validate in another file`;
      const danger = migration.phase === "expand" ? history.dangerOf(effect) : undefined;
      if (danger !== undefined && !(migration.smallTables.includes(table) && isAboutSize(effect)))
        yield `"${shown}" on ${table}: ${danger}`;
      if (migration.isTransactional && blocksWrites(effect)) isLocked.add(table);
    }
    const table = createdTable(statement);
    if (table !== undefined) created.add(table);
    history.addStatement(effects ?? []);
  }
}

const blocksWrites = ({ lock }: Effect): boolean => lockModes.indexOf(lock) >= lockModes.indexOf("SHARE");

/** Dangerous only because of the time it takes. */
const isAboutSize = ({ scans, rewrites }: Effect): boolean => scans || rewrites;

const isRepeatable = (statement: string): boolean =>
  createdIndex(statement) !== undefined ||
  /^drop index concurrently if exists /i.test(statement) ||
  /^alter table \S+ validate constraint \S+$/i.test(statement);

function createdTable(statement: string): string | undefined {
  const words = wordsOf(statement).filter((word) => word !== "unlogged");
  if (words[0] !== "create" || words[1] !== "table") return undefined;
  return words[2] === "if" ? words[5] : words[2];
}

const shorten = (statement: string): string => {
  const line = statement.replaceAll(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 77)}…` : line;
};

/** What earlier statements have proved: `set not null` is quick after a validated check. */
class History {
  readonly #checks = new Map<string, string>();
  readonly #validated = new Set<string>();

  add({ sql }: Migration): void {
    for (const statement of splitStatements(sql)) this.addStatement(effectsOf(statement) ?? []);
  }

  addStatement(effects: Effect[]): void {
    for (const { table, checksNotNull, validates } of effects) {
      if (checksNotNull) this.#checks.set(`${table}.${checksNotNull.constraint}`, `${table}.${checksNotNull.column}`);
      const column = validates === undefined ? undefined : this.#checks.get(`${table}.${validates}`);
      if (column !== undefined) this.#validated.add(column);
    }
  }

  dangerOf({ table, setsNotNull, danger }: Effect): string | undefined {
    if (setsNotNull === undefined || this.#validated.has(`${table}.${setsNotNull}`)) return danger;
    return `reads all rows under the lock: first add \`check (${setsNotNull} is not null) not valid\` and validate it`;
  }
}
