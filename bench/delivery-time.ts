/** The time from the start of a send on one node to the event on another, compared with the bare chain of engines. */
import { setTimeout as delay } from "node:timers/promises";
import { startBareChain } from "./bare-chain.ts";
import { Connection } from "./connection.ts";
import type { Outcome, Row } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, register, settle, subscribe } from "./organization.ts";
import { call, messageText, pollRequest, readEvents, sendRequest } from "./request.ts";
import type { Stage } from "./stage.ts";
import { figure, median, percentile, spread } from "./statistics.ts";

const bar = 2;
const pauseMilliseconds = 50;

export async function measureDeliveryTime(stage: Stage): Promise<Outcome> {
  const [samples, rounds] = stage.isQuick ? [40, 1] : [200, 4];
  const sendThroughSkein = await prepareSkein(stage);
  const bare = await startBareChain(await stage.startBaseline());
  // Warms up, so that hot code is compiled as in a long-running process.
  await sampled(sendThroughSkein, samples * 10, 0);
  await sampled(bare.send, samples * 10, 0);

  const times = { ours: [] as number[][], bare: [] as number[][] };
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await sampled(sendThroughSkein, samples, pauseMilliseconds));
    times.bare.push(await sampled(bare.send, samples, pauseMilliseconds));
    const [ours, chain] = [times.ours.at(-1) ?? [], times.bare.at(-1) ?? []];
    stage.say(`ms p50/p99: ${shortly(ours)}, bare chain ${shortly(chain)}`);
  }
  await bare.close();

  const of = (all: number[][], share: number) => all.map((round) => percentile(round, share));
  const row = (name: string, share: number): Row => {
    const [ours, chain] = [of(times.ours, share), of(times.bare, share)];
    const ratio = median(ours) / median(chain);
    return {
      what: `From send to delivery on the other node, ${name}, 20 messages/s`,
      bar: `≤ ${bar} × bare chain`,
      margin: bar / ratio,
      measured: `${figure(ratio)} × (${figure(median(ours))} ms)`,
      baseline: `commit + slot + JetStream: ${figure(median(chain))} ms (${spread(chain)})`,
      spread: `${spread(ours)} ms`,
    };
  };
  return {
    rows: [row("p50", 0.5), row("p99", 0.99)],
    chart: {
      title: "From send to delivery on the other node",
      unit: "milliseconds",
      bars: [
        { label: "bare chain, p50", value: median(of(times.bare, 0.5)), kind: "baseline" },
        { label: "Skein, p50", value: median(of(times.ours, 0.5)), kind: "ours" },
        { label: "bare chain, p99", value: median(of(times.bare, 0.99)), kind: "baseline" },
        { label: "Skein, p99", value: median(of(times.ours, 0.99)), kind: "ours" },
      ],
    },
  };
}

const shortly = (times: number[]) => `${figure(percentile(times, 0.5))}/${figure(percentile(times, 0.99))}`;

async function sampled(send: () => Promise<number>, samples: number, pause: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < samples) {
    times.push(await send());
    if (pause > 0) await delay(pause * (0.8 + 0.4 * Math.random()));
  }
  return times;
}

/** Returns a function that sends on one node and measures the time until a waiting read on the other completes. */
async function prepareSkein(stage: Stage): Promise<() => Promise<number>> {
  const realm = await makeRealm(stage);
  const [sender, reader] = await addUsers(stage, realm, 2);
  if (!sender || !reader) throw new Error("there are two users");
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, [sender, reader], [channel]);
  await settle(stage);
  await stage.serve("relay");
  const from = await Connection.open((await stage.serve("api")).url);
  const to = await Connection.open((await stage.serve("api")).url);
  const place = { channel, topic: "imports" };
  await open(from, sender, [place]);
  const queue = await register(to, reader);
  const request = sendRequest(sender, place, messageText);
  let polled = to.send(pollRequest(reader, queue.id, queue.lastEventId));
  return async () => {
    const begun = performance.now();
    const [answer] = await Promise.all([polled, call(from, request)]);
    const events = readEvents(answer);
    const [event] = events;
    if (!event || events.length !== 1 || event.type !== "message") throw new Error("one message was expected");
    polled = to.send(pollRequest(reader, queue.id, event.id));
    return answer.lastByteAt - begun;
  };
}
