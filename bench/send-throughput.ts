/** How many messages per second are acknowledged, compared with pgbench inserting the same rows. */
import { openConnections, type Connection } from "./connection.ts";
import type { Outcome, Row } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, settle, subscribe } from "./organization.ts";
import { bestClients, pgbench } from "./pgbench.ts";
import { messageText, sendRequest } from "./request.ts";
import { sendFor } from "./send-load.ts";
import type { Stage } from "./stage.ts";
import { figure, median, spread } from "./statistics.ts";

const connectionCount = 256;
const bar = 0.6;

export async function measureSendThroughput(stage: Stage): Promise<Outcome> {
  const [seconds, rounds] = stage.isQuick ? [1, 1] : [6, 5];
  const { one, two, requests } = await prepare(stage);
  await sendFor(seconds, one, requests); // warms up, so that hot code is compiled
  await sendFor(seconds, two, requests);
  const baselineEngines = await stage.startBaseline();
  const clients = await bestClients(baselineEngines, stage.isQuick ? [16] : [8, 16, 32, 64], stage.isQuick ? 1 : 3);

  const bare = await openConnections((await stage.serveBareSender(baselineEngines)).url, connectionCount);
  await sendFor(seconds, bare, requests);

  const rates = { pgbench: [] as number[], bare: [] as number[], one: [] as number[], two: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.pgbench.push(await pgbench(baselineEngines, clients, seconds));
    rates.bare.push(await sendFor(seconds, bare, requests));
    rates.one.push(await sendFor(seconds, one, requests));
    rates.two.push(await sendFor(seconds, two, requests));
    const newest = [rates.one, rates.two, rates.bare, rates.pgbench].map((measured) => figure(measured.at(-1) ?? 0));
    stage.say(`sends/s: ${newest[0]} through one, ${newest[1]} through two; bare ${newest[2]}; pgbench ${newest[3]}`);
  }

  const baseline = median(rates.pgbench);
  const row = (what: string, measured: number[]): Row => {
    const ratio = median(measured) / baseline;
    return {
      what,
      bar: `≥ ${bar} × pgbench`,
      margin: ratio / bar,
      aim: "1.0 ×",
      measured: `${figure(ratio)} × (${figure(median(measured))}/s)`,
      baseline:
        `pgbench, ${clients} clients: ${figure(baseline)}/s (${spread(rates.pgbench)}); ` +
        `bare node:http with a grouped insert: ${figure(median(rates.bare))}/s (${spread(rates.bare)})`,
      spread: `${spread(measured)}/s`,
    };
  };
  return {
    rows: [row("Sends through one api process", rates.one), row("Sends through two api processes", rates.two)],
    chart: {
      title: "Messages sent",
      unit: "per second",
      bars: [
        { label: "pgbench, same insert", value: baseline, kind: "baseline" },
        { label: "bare node:http, same", value: median(rates.bare), kind: "baseline" },
        { label: "one api process", value: median(rates.one), kind: "ours" },
        { label: "two api processes", value: median(rates.two), kind: "ours" },
      ],
      bar: { value: baseline * bar, label: `${bar} of pgbench` },
    },
  };
}

/** One round measures the sends per second through one api process. */
export async function openSends(stage: Stage): Promise<() => Promise<number>> {
  const { one, requests } = await prepare(stage);
  return () => sendFor(6, one, requests);
}

async function prepare(stage: Stage): Promise<{ one: Connection[]; two: Connection[]; requests: Buffer[] }> {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, 100);
  const channels = await addChannels(stage, realm, 10);
  await subscribe(stage, realm, users, channels);
  await settle(stage);
  await stage.serve("relay");
  const nodes = [await stage.serve("api"), await stage.serve("api")] as const;
  const one = await openConnections(nodes[0].url, connectionCount);
  const half = connectionCount / 2;
  const two = [...one.slice(0, half), ...(await openConnections(nodes[1].url, half))];
  const places = channels.map((channel) => ({ channel, topic: "imports" }));
  const [sender, connection] = [users[0], one[0]];
  if (!sender || !connection) throw new Error("there are users and connections");
  await open(connection, sender, places);
  const requests = users.flatMap((user, index) => {
    const place = places[index % places.length];
    return place ? [sendRequest(user, place, messageText)] : [];
  });
  return { one, two, requests };
}
