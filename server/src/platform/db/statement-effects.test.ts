import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { splitStatements } from "./sql-statements.ts";
import { effectsOf, lockModes, type LockMode } from "./statement-effects.ts";

/** Statements on a table in use; each runs in a transaction that is rolled back. */
const statements = [
  "alter table posts add column extra text",
  "alter table posts add column extra text not null default ''",
  "alter table posts add column extra timestamptz not null default now()",
  "alter table posts add column extra uuid default gen_random_uuid()",
  "alter table posts add column extra double precision default random()",
  "alter table posts add column extra bigint generated always as (id * 2) stored",
  "alter table posts add column extra bigserial",
  "alter table posts add column extra numeric(10, 2) default 0",
  "alter table posts add column extra bigint references people (id)",
  "alter table posts add column one text, add column other text default 'x'",
  "alter table posts drop column body",
  "alter table posts rename column body to text",
  "alter table posts rename to articles",
  "alter table posts alter column author type bigint",
  "alter table posts alter column author set data type bigint using author::bigint",
  "alter table posts alter column body set default 'x'",
  "alter table posts alter column id drop default",
  "alter table posts alter column id set statistics 500",
  "alter table posts add constraint long check (length(body) > 1) not valid",
  "alter table posts add constraint long check (length(body) > 1)",
  "alter table posts add constraint writer foreign key (author) references people (id) not valid",
  "alter table posts validate constraint known",
  "alter table posts drop constraint known",
  "alter table posts add constraint one unique (id)",
  "alter table posts set (fillfactor = 80)",
  "alter table posts disable trigger user",
  "create index posts_body on posts (body)",
  "create unique index posts_twice on posts (id)",
  "create trigger after_posts after insert on posts for each row execute function nothing()",
  "create table replies (id bigint primary key, post bigint references posts (id))",
  "create or replace function something() returns int language sql as $$ select 1; $$",
  "drop table posts",
  "drop trigger before_posts on posts",
  "truncate posts",
  "insert into posts (id) values (3)",
  "update posts set body = 'x'",
  "delete from posts where id = 1",
  "comment on table posts is 'x'",
];

const setUp = `
  create table people (id int primary key);
  create table posts (id bigint primary key, author int, body text, constraint known check (id > 0) not valid);
  create function nothing() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger before_posts before insert on posts for each row execute function nothing();
  insert into posts select n, null, 'text ' || n from generate_series(1, 100) n;`;

async function newDatabase(): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  const name = `effects_${randomBytes(4).toString("hex")}`;
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test("locks and rewrites are those that PostgreSQL takes and makes", async () => {
  const client = await newDatabase();
  await client.query(setUp);
  const tables = { posts: await oidOf(client, "posts"), people: await oidOf(client, "people") };

  for (const statement of statements) {
    await client.query("begin");
    const before = await fileOf(client, tables.posts);
    await client.query(statement);
    const rewritten = (await fileOf(client, tables.posts)) !== before;
    const { rows } = await client.query<{ relation: number; mode: string }>(
      "select relation, mode from pg_locks where pid = pg_backend_pid() and relation = any ($1)",
      [Object.values(tables)],
    );
    await client.query("rollback");

    const effects = effectsOf(statement) ?? [];
    for (const [table, oid] of Object.entries(tables)) {
      const taken = rows.filter((row) => row.relation === oid).map(({ mode }) => toMode(mode));
      const expected = effects.filter((effect) => effect.table === table).map(({ lock }) => lock);
      expect(strongest(expected), `${statement}: lock on ${table}`).toBe(strongest(taken.filter(matters)));
    }
    // A truncated table gets a new, empty file, and a dropped one has none; that takes no time.
    const isRewrite = rewritten && !/^(?:truncate|drop) /.test(statement);
    expect(
      effects.some(({ rewrites }) => rewrites),
      `${statement}: rewrite`,
    ).toBe(isRewrite);
  }
});

/** Reading what a definition refers to is no obstacle to anybody. */
const matters = (mode: LockMode) => mode !== "ACCESS SHARE" && mode !== "ROW SHARE";

const strongest = (modes: LockMode[]): LockMode | undefined =>
  modes.toSorted((one, other) => lockModes.indexOf(one) - lockModes.indexOf(other)).at(-1);

/** `AccessExclusiveLock` is ACCESS EXCLUSIVE. */
const toMode = (name: string) =>
  name
    .replace(/Lock$/, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase() as LockMode; // compared with the list above

async function oidOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ oid: number }>("select $1::regclass::oid::int as oid", [table]);
  return rows[0]?.oid ?? 0;
}

async function fileOf(client: pg.Client, oid: number): Promise<unknown> {
  return (await client.query("select relfilenode from pg_class where oid = $1", [oid])).rows[0]?.relfilenode;
}

test("statements are split where PostgreSQL splits them", () => {
  const sql = `
    -- A comment; with a semicolon.
    create function f() returns text language plpgsql as $body$ begin return 'a;b'; end $body$;
    /* another; one */ insert into "odd;name" values ('it''s; fine', E'\\';');
    select 1`;

  expect(splitStatements(sql)).toEqual([
    "create function f() returns text language plpgsql as $body$ begin return 'a;b'; end $body$",
    `insert into "odd;name" values ('it''s; fine', E'\\';')`,
    "select 1",
  ]);
});
