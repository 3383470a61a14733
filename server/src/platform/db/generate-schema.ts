/**
 * Writes schema.ts, the types of the tables, from a migrated database: `npm run schema` after a new migration.
 * Columns with a default or an identity may be omitted from an insert.
 */
import pg from "pg";

const types: Record<string, string> = {
  _int8: "number[]",
  _text: "string[]",
  bool: "boolean",
  bytea: "Buffer",
  int2: "number",
  int4: "number",
  int8: "number",
  int8multirange: "string",
  jsonb: "JsonColumn",
  text: "string",
  timestamptz: "TimeColumn",
  tsvector: "string",
  uuid: "string",
};

const preamble = `// Written by \`npm run schema\` from the migrated database. Not for editing.
import type { ColumnType, Generated } from "kysely";

/** Read as the value itself, written as JSON text. */
export type JsonColumn = ColumnType<unknown, string, string>;
export type TimeColumn = ColumnType<Date, Date | string, Date | string>;
/** A column that fills itself in when an insert leaves it out. */
export type Filled<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S, I | undefined, U>
  : Generated<T>;
`;

interface Column {
  table_name: string;
  column_name: string;
  udt_name: string;
  nullable: boolean;
  filled: boolean;
}

export async function generateSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(`
      select table_name, column_name, udt_name, is_nullable = 'YES' as nullable,
        column_default is not null or is_identity = 'YES' as filled
      from information_schema.columns
      where table_schema = 'public' and table_name <> 'schema_migrations'
      order by table_name, ordinal_position`);
    const tables = Map.groupBy(rows, (row) => row.table_name);
    const interfaces = [...tables].map(
      ([table, columns]) => `export interface ${interfaceName(table)} {\n${columns.map(field).join("\n")}\n}\n`,
    );
    const index = [...tables.keys()].map((table) => `  ${table}: ${interfaceName(table)};`).join("\n");
    return [preamble, ...interfaces, `export interface Schema {\n${index}\n}\n`].join("\n");
  } finally {
    await client.end();
  }
}

const interfaceName = (table: string) =>
  `${table.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Table`;

function field(column: Column): string {
  const known = types[column.udt_name];
  if (known === undefined) throw new Error(`no TypeScript type for ${column.udt_name} (${column.table_name})`);
  const value = column.nullable ? `${known} | null` : known;
  return `  ${column.column_name}: ${column.filled ? `Filled<${value}>` : value};`;
}
