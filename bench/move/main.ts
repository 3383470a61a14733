/**
 * `npm run bench:move [-- --messages 1000000 --writers 4]`: moves an organization with a long history to another cell while people
 * write, with `skein realm move`. A ledger of what was acknowledged shows whether anything was lost or doubled. Prints for how long
 * sends were refused, as the writers saw it and as the command says.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { startApp, type App } from "../../server/src/app.ts";
import { readConfig } from "../../server/src/config.ts";
import { createRealm } from "../../server/src/domain/organization/realm/create.ts";
import { migrate } from "../../server/src/platform/db/migrate.ts";
import { transaction } from "../../server/src/platform/db/transaction.ts";
import { startEngines, stopEngines } from "../../server/src/platform/engines/engines.ts";
import { startRouter } from "../../server/src/router/router.ts";
import { addChannels, addUsers, subscribe } from "../organization.ts";
import type { Account } from "../request.ts";
import type { Stage } from "../stage.ts";

const { values } = parseArgs({
  options: { messages: { type: "string", default: "1000000" }, writers: { type: "string", default: "4" } },
});
const count = Number(values.messages);
const host = "bench.example.com";
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const dir = await mkdtemp(join(tmpdir(), "skein-move-"));
await chmod(dir, 0o711);
const engines = await startEngines(dir);
const settings: Record<string, Record<string, string>> = {};

function urlOf(name: string): string {
  const url = new URL(engines.postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function startCell(name: string): Promise<App & { url: string }> {
  await migrate(urlOf(name));
  const environment = {
    SKEIN_DATABASE_URL: urlOf(name),
    SKEIN_NATS_URL: engines.natsUrl,
    SKEIN_LOG_NAME: name,
    SKEIN_FILES_DIR: join(dir, "files", name),
    SKEIN_SECRET: "a secret that both cells have, long enough",
    SKEIN_DIRECTORY_URL: urlOf("directory"),
  };
  settings[name] = environment;
  const app = await startApp(
    readConfig({
      ...environment,
      SKEIN_PORT: "0",
      SKEIN_RATE_LIMITS: "false",
      SKEIN_TRUST_PROXY: "1",
      SKEIN_LOG_LEVEL: "silent",
    }),
  );
  if (app.url === undefined) throw new Error("a cell serves requests");
  return { ...app, url: app.url };
}

/** Runs a command as an operator does; shows what it writes to standard error. */
async function skein(name: string, ...argv: string[]): Promise<Record<string, unknown>> {
  const main = join(import.meta.dirname, "../../server/src/cli/main.ts");
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith("SKEIN_"));
  const child = spawn(process.execPath, [main, ...argv, "--json"], {
    env: { ...Object.fromEntries(own), ...settings[name], SKEIN_TARGET_DATABASE_URL: urlOf("second") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return JSON.parse(text) as Record<string, unknown>; // what commands promise with --json
}

async function addHistory(
  pool: pg.Pool,
  realm: number,
  users: readonly Account[],
  channels: readonly number[],
): Promise<void> {
  await pool.query("insert into clients (name) values ('bench') on conflict do nothing");
  await pool.query(
    `insert into topics (realm_id, channel_id, name) select $1, c, 'topic ' || n from unnest($2::bigint[]) c, generate_series(1, 20) n`,
    [realm, channels],
  );
  await pool.query(
    `insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content, is_me_message,
      traits, read_by_sender, date_sent)
    select nextval('messages_id_seq'), $1, t.channel_id, t.id, ($2::bigint[])[1 + n % cardinality($2::bigint[])],
      (select id from clients where name = 'bench'), text, '<p>' || text || '</p>', false, 0, true, now() - interval '1 day'
    from generate_series(1, $3::bigint) n
      join (select row_number() over (order by id) - 1 as place, id, channel_id from topics where realm_id = $1) t
        on t.place = n % (20 * $4)
      cross join lateral (select 'message number ' || n || ' about the matter at hand ' || md5(n::text) as text) as said`,
    [realm, users.map(({ id }) => id), count, channels.length],
  );
  await pool.query(
    `insert into message_search (message_id, realm_id, vector)
    select m.id, m.realm_id, words_of(r.search_language, m.rendered_content) || array_to_tsvector(array[realm_word(m.realm_id)])
    from messages m join realms r on r.id = m.realm_id where m.realm_id = $1 on conflict do nothing`,
    [realm],
  );
  await pool.query("update search_progress set message_id = (select max(id) from messages)");
  await pool.query("update notification_progress set settled = (select max(id) from messages), seen = '{}'");
  await pool.query("vacuum analyze");
}

interface Ledger {
  acknowledged: Map<string, number>;
  refusals: number;
  /** The longest time from the first refusal of a message until it was accepted, in milliseconds. */
  longest: number;
}

async function write(
  url: string,
  user: Account,
  channel: number,
  isOver: () => boolean,
  ledger: Ledger,
): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${user.email}:${user.key}`).toString("base64")}`;
  while (!isOver()) {
    const content = randomBytes(8).toString("hex");
    const body = new URLSearchParams({ type: "channel", to: String(channel), topic: "ledger", content }).toString();
    for (let since = 0; ;) {
      const response = await fetch(`${url}/api/v1/messages`, {
        method: "POST",
        headers: { authorization, "x-forwarded-host": host, "content-type": "application/x-www-form-urlencoded" },
        body,
      });
      const answer = (await response.json()) as { id: number };
      if (response.status === 200) {
        if (since > 0) ledger.longest = Math.max(ledger.longest, performance.now() - since);
        ledger.acknowledged.set(content, answer.id);
        break;
      }
      if (response.status !== 503) throw new Error(`${response.status}: ${JSON.stringify(answer)}`);
      ledger.refusals++;
      since ||= performance.now();
      await new Promise((resume) => setTimeout(resume, 20));
    }
  }
}

try {
  const admin = new pg.Client({ connectionString: engines.postgresUrl });
  await admin.connect();
  for (const name of ["first", "second", "directory"]) await admin.query(`create database ${name}`);
  await admin.end();
  const [first, second] = [await startCell("first"), await startCell("second")];
  const pool = new pg.Pool({ connectionString: urlOf("first"), max: 4 });
  const there = new pg.Pool({ connectionString: urlOf("second"), max: 2 });
  const realm = await transaction(first.ctx.db, "make a realm", (tx) =>
    createRealm(tx, { string_id: "bench", name: "Bench", host }),
  );
  const stage = { pool, db: first.ctx.db } as unknown as Stage; // what the next three need of it
  const users = await addUsers(stage, realm.id, 1000);
  const channels = await addChannels(stage, realm.id, 50);
  await subscribe(stage, realm.id, users.slice(0, 200), channels);
  say(`Adding ${count} messages`);
  await addHistory(pool, realm.id, users, channels);
  await skein("first", "cell", "add", "first", "--number", "0", "--address", first.url);
  await skein("second", "cell", "add", "second", "--number", "1", "--address", second.url);
  const router = await startRouter(
    readConfig({
      SKEIN_DIRECTORY_URL: urlOf("directory"),
      SKEIN_DIRECTORY_COPY: join(dir, "directory.json"),
      SKEIN_PORT: "0",
      SKEIN_TRUST_PROXY: "1",
      SKEIN_LOG_LEVEL: "silent",
    }),
  );
  const ledger: Ledger = { acknowledged: new Map(), refusals: 0, longest: 0 };
  let isOver = false;
  const writers = users
    .slice(0, Number(values.writers))
    .map((user, n) => write(router.url, user, channels[n % channels.length] ?? 0, () => isOver, ledger));
  const begun = performance.now();
  const moved = await skein(
    "first",
    "realm",
    "move",
    "bench",
    "--to",
    "second",
    "--files",
    join(dir, "files", "second"),
  );
  const seconds = (performance.now() - begun) / 1000;
  isOver = true;
  await Promise.all(writers);

  const { rows } = await there.query<{ id: number; content: string }>(
    "select id, content from messages where realm_id = $1 and content ~ '^[0-9a-f]{16}$'",
    [realm.id],
  );
  const stored = new Map(rows.map(({ id, content }) => [content, id]));
  const lost = [...ledger.acknowledged].filter(([content, id]) => stored.get(content) !== id).length;
  const doubled = rows.length - stored.size;
  say(`Moved ${String(moved["rows"])} rows in ${seconds.toFixed(0)} s.`);
  say(
    `Frozen for ${String(moved["pause_seconds"])} s; sends were refused for at most ${(ledger.longest / 1000).toFixed(2)} s.`,
  );
  say(`Acknowledged ${ledger.acknowledged.size}, refused ${ledger.refusals}, lost ${lost}, doubled ${doubled}.`);
  await Promise.all([router.stop(), pool.end(), there.end(), first.stop(), second.stop()]);
  if (lost > 0 || doubled > 0 || ledger.longest > 10_000) process.exitCode = 1;
} finally {
  await stopEngines(dir);
  await rm(dir, { recursive: true, force: true });
}
process.exit();
