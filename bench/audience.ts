/** A send to a channel of 100,000 subscribers compared with one to a channel of 10: rows written, and sends per second. */
import { setTimeout as delay } from "node:timers/promises";
import { openConnections, type Connection } from "./connection.ts";
import type { Outcome } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, settle, subscribe } from "./organization.ts";
import { demandSuccess, messageText, sendRequest } from "./request.ts";
import { sendFor } from "./send-load.ts";
import type { Stage } from "./stage.ts";
import { figure, median, spread } from "./statistics.ts";

const bar = 0.9;
const connectionCount = 32;

export async function measureAudience(stage: Stage): Promise<Outcome> {
  const [large, seconds, rounds, sends] = stage.isQuick ? [5000, 1, 1, 100] : [100_000, 4, 7, 1000];
  const { connections, toSmall, toLarge } = await prepare(stage, large);
  await sendFor(seconds, connections, toSmall);
  await sendFor(seconds, connections, toLarge);
  const rows = {
    small: await countRows(stage, connections, toSmall, sends),
    large: await countRows(stage, connections, toLarge, sends),
  };
  stage.say(`rows written by ${sends} sends: ${rows.small} to 10, ${rows.large} to ${figure(large)}`);

  const rates = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.small.push(await sendFor(seconds, connections, toSmall));
    rates.large.push(await sendFor(seconds, connections, toLarge));
    stage.say(
      `sends/s: ${figure(rates.small.at(-1) ?? 0)} to 10, ${figure(rates.large.at(-1) ?? 0)} to ${figure(large)}`,
    );
  }
  const ratio = median(rates.large) / median(rates.small);
  return {
    rows: [
      {
        what: `Rows written by ${figure(sends)} sends to ${figure(large)} subscribers`,
        bar: "as many as to 10",
        margin: rows.small / rows.large,
        measured: figure(rows.large),
        baseline: `to 10 subscribers: ${figure(rows.small)}`,
        spread: "–",
      },
      {
        what: `Sends to ${figure(large)} subscribers`,
        bar: `≥ ${bar} × to 10`,
        margin: ratio / bar,
        measured: `${figure(ratio)} × (${figure(median(rates.large))}/s)`,
        baseline: `to 10 subscribers: ${figure(median(rates.small))}/s (${spread(rates.small)})`,
        spread: `${spread(rates.large)}/s`,
      },
    ],
    chart: {
      title: "Sends by audience",
      unit: "per second",
      bars: [
        { label: "to 10 subscribers", value: median(rates.small), kind: "baseline" },
        { label: `to ${figure(large)} subscribers`, value: median(rates.large), kind: "ours" },
      ],
      bar: { value: bar * median(rates.small), label: `${bar} of the small channel` },
    },
  };
}

async function prepare(stage: Stage, large: number) {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, large);
  const [small = 0, huge = 0] = await addChannels(stage, realm, 2);
  const senders = users.slice(0, 10);
  await subscribe(stage, realm, senders, [small]);
  await subscribe(stage, realm, users, [huge]);
  await settle(stage);
  await stage.serve("relay");
  const { url } = await stage.serve("api");
  const connections = await openConnections(url, connectionCount);
  const requestsTo = (channel: number) =>
    senders.map((sender) => sendRequest(sender, { channel, topic: "imports" }, messageText));
  const [connection, sender] = [connections[0], senders[0]];
  if (!connection || !sender) throw new Error("there are connections and senders");
  await open(
    connection,
    sender,
    [small, huge].map((channel) => ({ channel, topic: "imports" })),
  );
  return { connections, toSmall: requestsTo(small), toLarge: requestsTo(huge) };
}

/** Rows inserted, changed and deleted in all tables by this many sends, as PostgreSQL counts them. */
async function countRows(
  stage: Stage,
  connections: readonly Connection[],
  requests: readonly Buffer[],
  sends: number,
): Promise<number> {
  const before = await settledCount(stage);
  let left = sends;
  const send = async (connection: Connection, index: number) => {
    while (left-- > 0) {
      const request = requests[index % requests.length];
      if (request) demandSuccess(await connection.send(request));
    }
  };
  await Promise.all(connections.map(send));
  return (await settledCount(stage)) - before;
}

/**
 * PostgreSQL's processes report their writes a few seconds late: waits until they have reported every message. Excludes
 * the table that the relay updates every second, which is unrelated to sends.
 */
async function settledCount({ pool }: Stage): Promise<number> {
  for (;;) {
    const { rows } = await pool.query<{ written: number; is_settled: boolean }>(`
      select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as written,
        sum(n_tup_ins) filter (where relname = 'messages') = (select count(*) from messages) as is_settled
      from pg_stat_user_tables where relname <> 'event_log'`);
    const [row] = rows;
    if (row?.is_settled) return row.written;
    await delay(500);
  }
}
