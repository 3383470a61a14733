import { expect, test } from "vitest";
import { readMigration, readMigrations } from "./migration-files.ts";
import { lintMigrations } from "./migration-lint.ts";

const lint = (...files: string[]) =>
  lintMigrations(files.map((sql, index) => readMigration(`${9000 + index}-test.sql`, sql))).map(({ text }) => text);

const expand = "-- phase: expand\n";
const concurrent = `${expand}-- transaction: none\n`;
const contract = "-- phase: contract\n-- oldest release: 0.2.0\n";

test("the migrations of this release let the previous one run", async () => {
  expect(lintMigrations(await readMigrations())).toEqual([]);
});

test.for([
  ["alter table messages drop column content;", "deletes data that the previous release uses"],
  ["alter table messages rename column content to text;", "the previous release may use it"],
  ["alter table messages rename to posts;", "the previous release may use it"],
  ["drop table messages;", "deletes data that the previous release uses"],
  ["drop function restricts_guests(bigint);", "the previous release may use it"],
  ["alter table messages alter column content set not null;", "first add `check (content is not null) not valid`"],
  ["alter table messages add column x uuid default gen_random_uuid();", "gen_random_uuid() may differ"],
  ["alter table messages add column x bigint generated always as identity;", "rewrites the table"],
  ["alter table messages add column x text not null;", "fails if the table has rows"],
  ["alter table messages add column a text, drop column b;", "deletes data that the previous release uses"],
  ["alter table messages alter column id type numeric;", "rewrites the table"],
  ["create index x on messages (content);", "create it concurrently"],
  ["alter table messages add constraint x check (id > 0);", "add it `not valid`"],
  ["alter table messages add constraint x unique (id);", "create it concurrently, then add it `using index`"],
  ["alter table messages add constraint x foreign key (a) references users (id);", "add it `not valid`"],
  ["update messages set content = '';", "use a backfill"],
  ["create index concurrently x on messages (id);", 'needs the line "-- transaction: none"'],
  [
    "alter table messages add constraint x check (a > 0) not valid; alter table messages validate constraint x;",
    "validate in another file",
  ],
  ["cluster messages;", "this lint does not know the statement"],
  ["do $$ begin drop table messages; end $$;", "this lint does not know the statement"],
] as const)("an expand migration must not: %s", ([sql, reason]) => {
  expect(lint(expand + sql)).toEqual([expect.stringContaining(reason)]);
});

test.for([
  "alter table messages add column x timestamptz not null default now();",
  "alter table messages add column x text;\ncreate table others (id int, x text);\ncreate index o on others (x);",
  "alter table messages add constraint x check (a is not null) not valid;",
  "-- small tables: realms\nupdate realms set name = '';\ncreate index r on realms (name);",
  "create or replace function f() returns int language sql as $$ select 1; drop table messages; $$;",
])("an expand migration may: %s", (sql) => {
  expect(lint(expand + sql)).toEqual([]);
});

test("a column can become not null after a check was validated", () => {
  const check = `${expand}alter table messages add constraint there check (x is not null) not valid;`;
  const validate = `${concurrent}alter table messages validate constraint there;`;
  const notNull = `${expand}alter table messages alter column x set not null;`;

  expect(lint(check, validate, notNull)).toEqual([]);
  expect(lint(check, notNull)).toHaveLength(1);
});

test("contract migrations may remove things; all need a phase, and outside of a transaction only what can be repeated", () => {
  expect(lint(`${contract}alter table messages drop column content;`)).toEqual([]);
  expect(lint("select 1;")).toEqual([expect.stringContaining("has no line `-- phase: expand`")]);
  expect(lint(`${concurrent}create index concurrently x on messages (id);`)).toEqual([]);
  expect(lint(`${concurrent}alter table messages add column x text;`)).toEqual([
    expect.stringContaining("only concurrent indexes and validations can be repeated"),
  ]);
  expect(lint(`${contract}-- needs backfill: 0042-unknown\nselect 1;`)).toEqual([
    "needs the backfill 0042-unknown, which does not exist",
  ]);
});

test.for([
  ["-- phase: shrink\n", 'unknown phase "shrink"'],
  ["-- phase: contract\n", "needs a line"],
  ["-- phase: expand\n-- transaction: maybe\n", 'unknown transaction mode "maybe"'],
])("a wrong header is refused: %s", ([sql, message]) => {
  expect(() => readMigration("9000-test.sql", sql ?? "")).toThrow(message);
});
