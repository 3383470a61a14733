/** One message to thousands of waiting reads, compared with Node's own HTTP server sending the same bytes to as many. */
import { Connection, openConnections } from "./connection.ts";
import type { Outcome } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, registerAll, settle, subscribe } from "./organization.ts";
import { call, messageText, readEvents, sendRequest } from "./request.ts";
import type { Stage } from "./stage.ts";
import { figure, median, spread } from "./statistics.ts";
import { deliveryRate, pollRequests, readMetric, wait } from "./waiting.ts";

const bar = 0.6;

interface Rounds {
  /** Responses per second in one round. */
  round: () => Promise<number>;
  /** The body of the newest response. */
  body: () => Buffer;
}

export async function measureFanOut(stage: Stage): Promise<Outcome> {
  const [count, rounds] = stage.isQuick ? [500, 2] : [5000, 9];
  const ours = await waitOnSkein(stage, count);
  await ours.round();
  const bare = await waitOnBareServer(stage, count, ours.body());
  for (let round = 0; round < 2; round++) {
    await bare.round();
    await ours.round();
  }

  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.ours.push(await ours.round());
    rates.bare.push(await bare.round());
    stage.say(`deliveries/s: ${figure(rates.ours.at(-1) ?? 0)}, bare server ${figure(rates.bare.at(-1) ?? 0)}`);
  }
  const baseline = median(rates.bare);
  const ratio = median(rates.ours) / baseline;
  return {
    rows: [
      {
        what: `One message to ${figure(count)} waiting reads on one node`,
        bar: `≥ ${bar} × bare server`,
        margin: ratio / bar,
        measured: `${figure(ratio)} × (${figure(median(rates.ours))} deliveries/s)`,
        baseline: `bare node:http, same bytes: ${figure(baseline)}/s (${spread(rates.bare)})`,
        spread: `${spread(rates.ours)}/s`,
      },
    ],
    chart: {
      title: `One message to ${figure(count)} waiting reads`,
      unit: "deliveries per second",
      bars: [
        { label: "bare node:http", value: baseline, kind: "baseline" },
        { label: "Skein", value: median(rates.ours), kind: "ours" },
      ],
      bar: { value: baseline * bar, label: `${bar} of the bare server` },
    },
  };
}

/** One round measures the deliveries per second of one message to 5,000 waiting reads. */
export async function openFanOut(stage: Stage): Promise<() => Promise<number>> {
  const { round } = await waitOnSkein(stage, 5000);
  return round;
}

async function waitOnSkein(stage: Stage, count: number): Promise<Rounds> {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, count + 1);
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, users, [channel]);
  await settle(stage);
  await stage.serve("relay");
  const { url } = await stage.serve("api");
  const [sender, ...readers] = users;
  if (!sender) throw new Error("there is a sender");
  const control = await Connection.open(url);
  const place = { channel, topic: "imports" };
  await open(control, sender, [place]);
  const queues = await registerAll(stage, control, readers);
  const connections = await openConnections(url, count);
  let body: Buffer = Buffer.alloc(0);
  return {
    body: () => body,
    round: async () => {
      const countWaiting = () => readMetric(url, "skein_waiting_polls");
      const { answers } = await wait(connections, pollRequests(queues), countWaiting);
      await call(control, sendRequest(sender, place, messageText));
      const all = await answers;
      for (const [index, answer] of all.entries()) {
        const queue = queues[index];
        const events = readEvents(answer);
        if (!queue || events.length !== 1) throw new Error(`${events.length} events arrived instead of one`);
        queue.lastEventId = events[0]?.id ?? 0;
      }
      body = all[0]?.body ?? body;
      return deliveryRate(all);
    },
  };
}

async function waitOnBareServer(stage: Stage, count: number, body: Buffer): Promise<Rounds> {
  const { url } = await stage.serveBare();
  const control = await Connection.open(url);
  const connections = await openConnections(url, count);
  // As long as one of our requests.
  const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Padding: ${"x".repeat(250)}\r\n\r\n`;
  const requests = connections.map(() => Buffer.from(head));
  const release = Buffer.concat([
    Buffer.from(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`),
    body,
  ]);
  const question = Buffer.from("OPTIONS / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const countWaiting = async () => Number((await control.send(question)).body.toString());
  return {
    body: () => body,
    round: async () => {
      const { answers } = await wait(connections, requests, countWaiting);
      await control.send(release);
      return deliveryRate(await answers);
    },
  };
}
