/** Registration, and changes that affect very many messages at once. */
import { Connection } from "../connection.ts";
import { apiRequest, call, type Account } from "../request.ts";
import type { Stage } from "../stage.ts";
import { figure } from "../statistics.ts";
import { compare, type Asked } from "./ask.ts";
import type { History } from "./fill.ts";

/** All types, as for a client that has just started; the SQL reads the minimum for that: people, channels, unread ids. */
export async function askRegistration(stage: Stage, history: History, url: string): Promise<Asked> {
  const request = apiRequest(history.reader, "POST", "/register", { apply_markdown: true, client_gravatar: true });
  const unread = `select s.channel_id, m.topic_id, array_agg(m.id) from subscriptions s
      join messages m on m.conversation_id = s.channel_id and m.id >= upper(s.read)
    where s.user_id = $1 group by 1, 2`;
  return compare(stage, url, {
    what: "registration, all types",
    request: () => request,
    sql: async (client) => {
      await client.query("select * from users where realm_id = $1", [history.realm]);
      await client.query("select * from channels where realm_id = $1", [history.realm]);
      await client.query("select * from subscriptions where user_id = $1", [history.reader.id]);
      await client.query(unread, [history.reader.id]);
    },
    times: 20,
    warmUps: 3,
  });
}

const marked = 10_000;

/** Ten thousand unread messages of the reader's channels, different ones each time, and for the SQL different ones again. */
export async function askMarking(stage: Stage, history: History, url: string): Promise<Asked> {
  const times = 12;
  const { rows } = await stage.pool.query<{ id: number }>(
    `select m.id from subscriptions s join messages m on m.conversation_id = s.channel_id and m.id >= upper(s.read)
    where s.user_id = $1 order by m.id limit $2`,
    [history.reader.id, marked * times],
  );
  const ids = rows.map(({ id }) => id);
  const part = (n: number) => ids.slice((n % times) * marked, (n % times) * marked + marked);
  return compare(stage, url, {
    what: "mark 10,000 messages as read",
    request: (n) =>
      apiRequest(history.reader, "POST", "/messages/flags", {
        op: "add",
        flag: "read",
        messages: JSON.stringify(part(n)),
      }),
    sql: async (client, n) => {
      await client.query(
        `update subscriptions s set read = s.read + gained.ids from (
          select conversation_id, range_agg(int8range(id, id + 1)) as ids from messages where id = any($2) group by 1) gained
        where s.user_id = $1 and s.channel_id = gained.conversation_id`,
        [history.reader.id + 1, part(n)],
      );
    },
    times: times - 2,
    warmUps: 2,
  });
}

export interface Resolved {
  messages: number;
  rows: number;
  milliseconds: number;
}

/** Tables that are written over time, regardless of requests. */
const bookkeeping = ["event_queues", "event_log", "_private_jobs"];

/** Resolves a topic, and counts the rows written in all tables. */
export async function resolveLongTopic(stage: Stage, history: History, url: string, owner: Account): Promise<Resolved> {
  const { pool } = stage;
  const { rows } = await pool.query<{ newest: number; messages: number }>(
    "select max(id) as newest, count(*) as messages from messages where topic_id = $1",
    [history.longTopic.topic],
  );
  const [topic] = rows;
  if (!topic) throw new Error("the long topic has messages");
  const connection = await Connection.open(url);
  const written = async () => {
    await pool.query("select pg_stat_force_next_flush()");
    const { rows: counts } = await pool.query<{ written: string }>(
      "select sum(n_tup_ins + n_tup_upd + n_tup_del) as written from pg_stat_user_tables where not relname = any($1)",
      [bookkeeping],
    );
    return Number(counts[0]?.written);
  };
  const settled = async () => {
    // A connection reports its writes once it has been idle for ten seconds.
    await new Promise((resume) => setTimeout(resume, 12_000));
    return written();
  };
  const before = await settled();
  const begun = performance.now();
  const fields = { topic: "✔ the long story", propagate_mode: "change_all", send_notification_to_old_thread: false };
  await call(
    connection,
    patch(owner, `/messages/${topic.newest}`, { ...fields, send_notification_to_new_thread: false }),
  );
  const milliseconds = performance.now() - begun;
  const rowsWritten = (await settled()) - before;
  await call(connection, patch(owner, `/messages/${topic.newest}`, { ...fields, topic: "the long story" }));
  connection.close();
  stage.say(`resolved ${figure(topic.messages)} messages: ${rowsWritten} rows, ${figure(milliseconds)} ms`);
  return { messages: topic.messages, rows: rowsWritten, milliseconds };
}

const patch = (account: Account, path: string, fields: Record<string, string | boolean>): Buffer =>
  apiRequest(account, "POST", path, { ...fields, method: "PATCH" });
