/** Registration in a large organization, compared with its bare SQL statements. */
import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { Connection } from "./connection.ts";
import type { Outcome, Row } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, settle, subscribe } from "./organization.ts";
import { apiRequest, demandSuccess, type Account } from "./request.ts";
import type { Stage } from "./stage.ts";
import { figure, median, spread } from "./statistics.ts";

const bar = 3;
/** Milliseconds for somebody who was away. */
const awayBar = 300;
const unread = { channels: 500, topicsPerChannel: 10, messages: 44_000 };

type Statement = [text: string, values: unknown[]];

export async function measureRegistration(stage: Stage): Promise<Outcome> {
  const { realm, user, channels, url } = await prepare(stage);
  const plain = await measureForm(stage, user, url, false);
  const withSubscribers = await measureForm(stage, user, url, true);
  await goAway(stage, realm, user, channels.slice(0, unread.channels));
  const away = await measureForm(stage, user, url, false);
  const row = (what: string, { ours, sql, bytes }: Times): Row => {
    const ratio = median(ours) / median(sql);
    return {
      what,
      bar: `≤ ${bar} × its SQL`,
      margin: bar / ratio,
      measured: `${figure(ratio)} × (${figure(median(ours))} ms, ${figure(bytes / 1024)} KB)`,
      baseline: `the same statements by pg: ${figure(median(sql))} ms (${spread(sql)})`,
      spread: `${spread(ours)} ms`,
    };
  };
  return {
    rows: [
      row("Registration, all types, 10,000 users and 1,000 channels", plain),
      row("The same with include_subscribers", withSubscribers),
      {
        ...row("The same after a month away: 500 channels, 44,000 unread messages", away),
        bar: `≤ ${awayBar} ms`,
        margin: awayBar / median(away.ours),
      },
    ],
    chart: {
      title: "Registration, 10,000 users and 1,000 channels",
      unit: "milliseconds",
      bars: [
        { label: "its SQL alone", value: median(plain.sql), kind: "baseline" },
        { label: "Skein", value: median(plain.ours), kind: "ours" },
        { label: "SQL with subscribers", value: median(withSubscribers.sql), kind: "baseline" },
        { label: "Skein with subscribers", value: median(withSubscribers.ours), kind: "ours" },
        { label: "SQL with 44,000 unread", value: median(away.sql), kind: "baseline" },
        { label: "Skein with 44,000 unread", value: median(away.ours), kind: "ours" },
      ],
    },
  };
}

interface Times {
  ours: number[];
  sql: number[];
  bytes: number;
}

interface Prepared {
  realm: number;
  user: Account;
  channels: number[];
  url: string;
}

async function prepare(stage: Stage): Promise<Prepared> {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, 10_000);
  const channels = await addChannels(stage, realm, 1000);
  const [user, ...others] = users;
  if (!user) throw new Error("there are users");
  await subscribe(stage, realm, [user], channels.slice(0, 100));
  // Everybody else is in a few channels, so that each has about fifty subscribers.
  for (let first = 0; first < 100; first++)
    await subscribe(
      stage,
      realm,
      others.slice(first * 100, (first + 1) * 100),
      channels.slice(first * 5, first * 5 + 5),
    );
  await stage.serve("relay");
  const { url } = await stage.serve("api");
  const connection = await Connection.open(url);
  await open(
    connection,
    user,
    channels.slice(0, 10).map((channel) => ({ channel, topic: "imports" })),
  );
  connection.close();
  await settle(stage);
  return { realm, user, channels, url };
}

/** The user is in more channels, where others have written. */
async function goAway(stage: Stage, realm: number, user: Account, channels: readonly number[]): Promise<void> {
  const { pool } = stage;
  await pool.query("delete from subscriptions where user_id = $1", [user.id]);
  await subscribe(stage, realm, [user], channels);
  await pool.query(
    `insert into topics (realm_id, channel_id, name)
    select $1, c, 'subject ' || n from unnest($2::bigint[]) c, generate_series(1, $3) n`,
    [realm, channels, unread.topicsPerChannel],
  );
  await pool.query(
    `insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, date_sent, content, rendered_content)
    select nextval('messages_id_seq'), $1, t.channel_id, t.id, $2::bigint + 1 + n % 9999, (select min(id) from clients), now(), 'text', '<p>text</p>'
    from generate_series(1, $3) n join (
      select id, channel_id, row_number() over (order by id) - 1 as place from topics where name like 'subject %'
    ) t on t.place = (n * 7919) % $4 order by n`,
    [realm, user.id, unread.messages, channels.length * unread.topicsPerChannel],
  );
  await settle(stage);
}

/** One round measures the milliseconds of one registration with all event types. */
export async function openRegistrations(stage: Stage): Promise<() => Promise<number>> {
  const { user, url } = await prepare(stage);
  const connection = await Connection.open(url);
  const request = registerRequest(user, false);
  return async () => {
    const begun = performance.now();
    demandSuccess(await connection.send(request));
    return performance.now() - begun;
  };
}

const registerRequest = (user: Account, withSubscribers: boolean): Buffer =>
  apiRequest(user, "POST", "/register", {
    apply_markdown: true,
    client_gravatar: true,
    include_subscribers: withSubscribers,
  });

async function measureForm(stage: Stage, user: Account, url: string, withSubscribers: boolean): Promise<Times> {
  const request = registerRequest(user, withSubscribers);
  const statements = await record(stage, request);
  const connection = await Connection.open(url);
  // As on the server's own connections: compiling would take longer than running them.
  const client = new pg.Client({ connectionString: stage.databaseUrl, options: "-c jit=off" });
  await client.connect();
  const times: Times = { ours: [], sql: [], bytes: 0 };
  const [warmUps, rounds] = stage.isQuick ? [1, 3] : [10, 40];
  for (let round = -warmUps; round < rounds; round++) {
    const begun = performance.now();
    const answer = await connection.send(request);
    demandSuccess(answer);
    const ours = performance.now() - begun;
    times.bytes = answer.body.length;
    const sql = await replay(client, statements);
    if (round < 0) continue;
    times.ours.push(ours);
    times.sql.push(sql);
  }
  await client.end();
  connection.close();
  stage.say(`${statements.length} statements, ${figure(median(times.ours))} ms, SQL ${figure(median(times.sql))} ms`);
  return times;
}

/** The statements of one registration by an account that the node has cached. */
async function record(stage: Stage, request: Buffer): Promise<Statement[]> {
  const file = join(stage.dir, "statements.jsonl");
  const node = await stage.serve("api", { preload: ["record-statements.ts"], env: { BENCH_STATEMENTS: file } });
  const connection = await Connection.open(node.url);
  demandSuccess(await connection.send(request));
  await rm(file);
  demandSuccess(await connection.send(request));
  connection.close();
  await node.stop();
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Statement); // written by record-statements.ts
}

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Milliseconds for all of them, including `begin` and `commit`. The queue's id is new every time. */
async function replay(client: pg.Client, statements: readonly Statement[]): Promise<number> {
  const id = randomUUID();
  const begun = performance.now();
  for (const [text, values] of statements) {
    await client.query(
      text,
      values.map((value) => (typeof value === "string" && uuid.test(value) ? id : value)),
    );
  }
  return performance.now() - begun;
}
