/** The memory of a waiting read, beyond that of the same connection to a bare HTTP server. */
import { Connection, openConnections } from "./connection.ts";
import type { Outcome } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, registerAll, settle, subscribe } from "./organization.ts";
import type { Stage } from "./stage.ts";
import { residentBytes } from "./server-process.ts";
import { figure, median, spread } from "./statistics.ts";
import { pollRequests, readMetric, wait } from "./waiting.ts";

const barKilobytes = 25;
const preload = ["collect-garbage.ts"];

export async function measurePollMemory(stage: Stage): Promise<Outcome> {
  const [count, rounds] = stage.isQuick ? [1000, 1] : [10_000, 3];
  const prepareRound = await prepareSkein(stage, count);
  const kilobytes = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    kilobytes.ours.push(await prepareRound());
    kilobytes.bare.push(await measureBare(stage, count));
    stage.say(`KB per read: ${figure(kilobytes.ours.at(-1) ?? 0)}, bare server ${figure(kilobytes.bare.at(-1) ?? 0)}`);
  }
  const baseline = median(kilobytes.bare);
  const beyond = kilobytes.ours.map((value) => value - baseline);
  return {
    rows: [
      {
        what: `Memory of a waiting read at ${figure(count)}, each of another user, beyond a bare server's`,
        bar: `≤ ${barKilobytes} KB`,
        margin: barKilobytes / median(beyond),
        measured: `${figure(median(beyond))} KB`,
        baseline: `bare node:http: ${figure(baseline)} KB (${spread(kilobytes.bare)})`,
        spread: `${spread(beyond)} KB`,
      },
    ],
    chart: {
      title: `Memory of a waiting read at ${figure(count)}`,
      unit: "KB",
      bars: [
        { label: "bare node:http", value: baseline, kind: "baseline" },
        { label: "Skein", value: median(kilobytes.ours), kind: "ours" },
      ],
      bar: { value: baseline + barKilobytes, label: `${barKilobytes} KB beyond the bare server` },
    },
  };
}

/** Returns a function that measures on a fresh node. */
async function prepareSkein(stage: Stage, count: number): Promise<() => Promise<number>> {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, count);
  const channels = await addChannels(stage, realm, 10);
  await subscribe(stage, realm, users, channels);
  await settle(stage);
  await stage.serve("relay");
  return async () => {
    const node = await stage.serve("api", { preload });
    const control = await Connection.open(node.url);
    const [sender] = users;
    if (!sender) throw new Error("there are users");
    await open(control, sender, [{ channel: channels[0] ?? 0, topic: "imports" }]);
    const queues = await registerAll(stage, control, users);
    const requests = pollRequests(queues);
    const before = await residentBytes(node);
    const connections = await openConnections(node.url, count);
    await wait(connections, requests, () => readMetric(node.url, "skein_waiting_polls"));
    const after = await residentBytes(node);
    for (const connection of [control, ...connections]) connection.close();
    await node.stop();
    return (after - before) / count / 1024;
  };
}

async function measureBare(stage: Stage, count: number): Promise<number> {
  const server = await stage.serveBare({ preload });
  const control = await Connection.open(server.url);
  const question = Buffer.from("OPTIONS / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const countWaiting = async () => Number((await control.send(question)).body.toString());
  await countWaiting();
  const before = await residentBytes(server);
  const connections = await openConnections(server.url, count);
  const request = Buffer.from(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Padding: ${"x".repeat(250)}\r\n\r\n`);
  await wait(
    connections,
    connections.map(() => request),
    countWaiting,
  );
  const after = await residentBytes(server);
  for (const connection of [control, ...connections]) connection.close();
  await server.stop();
  return (after - before) / count / 1024;
}
