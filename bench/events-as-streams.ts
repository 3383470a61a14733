/** Reading events as a stream next to long polls: the cost of a client, the number of streams a node holds, and the delivery time. */
import { setTimeout as delay } from "node:timers/promises";
import { besideBusyCore } from "./busy-core.ts";
import { Connection, openConnections } from "./connection.ts";
import type { Outcome, Row } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, registerAll, settle, subscribe, type Queue } from "./organization.ts";
import { demandSuccess, messageText, sendRequest, type Account } from "./request.ts";
import { residentBytes, type ServerProcess } from "./server-process.ts";
import type { Stage } from "./stage.ts";
import { figure, median, percentile, spread } from "./statistics.ts";
import type { Feed, FeedKind } from "./users/feed.ts";
import { PollFeed } from "./users/poll-feed.ts";
import { readUsage } from "./users/processes.ts";
import { StreamFeed } from "./users/stream-feed.ts";
import { readMetric } from "./waiting.ts";

/** What ejabberd took on such a machine, with a core that was busy otherwise. */
const peer = { p50: 25, p99: 258 };
const [messagesPerSecond, readersPerMessage] = [100, 50];
const kinds: readonly FeedKind[] = ["polls", "streams"];
const preload = ["collect-garbage.ts"];
/** A few hundred at a time, because a queue's first read on a node loads it from the database. */
const atOnce = 250;
const connectWithinMilliseconds = 120_000;

interface Audience {
  users: Account[];
  channel: number;
}

/** One message's id, and when it arrived at a reader. */
type OnMessage = (id: number, at: number) => void;

export async function measureStreams(stage: Stage): Promise<Outcome> {
  const [many, rounds, seconds] = stage.isQuick ? [200, 1, 3] : [10_000, 5, 15];
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, many);
  const [channel = 0, small = 0] = await addChannels(stage, realm, 2);
  await subscribe(stage, realm, users, [channel]);
  await subscribe(stage, realm, users.slice(0, readersPerMessage), [small]);
  await settle(stage);
  await stage.serve("relay");
  const idle = {
    polls: await measureIdle(stage, "polls", { users, channel }),
    streams: await measureIdle(stage, "streams", { users, channel }),
  };
  const busy = await measureBusy(stage, { users: users.slice(0, readersPerMessage), channel: small }, rounds, seconds);
  return {
    rows: [...idleRows(many, idle), ...busyRows(busy)],
    chart: {
      title: `From send to delivery at ${messagesPerSecond} messages/s to ${readersPerMessage} readers, beside a busy core`,
      unit: "milliseconds",
      bars: [
        { label: "ejabberd, p50", value: peer.p50, kind: "baseline" },
        { label: "long polls, p50", value: median(busy.map(({ polls }) => polls.p50)), kind: "ours" },
        { label: "streams, p50", value: median(busy.map(({ streams }) => streams.p50)), kind: "ours" },
        { label: "ejabberd, p99", value: peer.p99, kind: "baseline" },
        { label: "long polls, p99", value: median(busy.map(({ polls }) => polls.p99)), kind: "ours" },
        { label: "streams, p99", value: median(busy.map(({ streams }) => streams.p99)), kind: "ours" },
      ],
    },
  };
}

interface Idle {
  kilobytes: number;
  /** Per client and minute. */
  cpuMilliseconds: number;
  bytes: number;
  /** From the send to the last reader. */
  allMilliseconds: number;
}

/** All users are connected to one node, and nothing happens for a while; then there is one message for everybody. */
async function measureIdle(stage: Stage, kind: FeedKind, { users, channel }: Audience): Promise<Idle> {
  const seconds = stage.isQuick ? 3 : 120;
  const node = await stage.serve("api", { preload });
  const control = await Connection.open(node.url);
  const [sender] = users;
  if (!sender) throw new Error("there are users");
  const place = { channel, topic: "imports" };
  await open(control, sender, [place]);
  const queues = await registerAll(stage, control, users);
  const before = await residentBytes(node);
  const arrivals: number[] = [];
  const feeds = await connectAll(kind, node, queues, (_, at) => arrivals.push(at));
  const kilobytes = ((await residentBytes(node)) - before) / users.length / 1024;
  const began = [bytesOf(feeds), await cpuSeconds(node)] as const;
  await delay(seconds * 1000);
  const perMinute = 60 / seconds / users.length;
  const bytes = (bytesOf(feeds) - began[0]) * perMinute;
  const cpuMilliseconds = ((await cpuSeconds(node)) - began[1]) * 1000 * perMinute;
  // The server has closed the other connection, which was idle for so long.
  const fresh = await Connection.open(node.url);
  const sentAt = performance.now();
  demandSuccess(await fresh.send(sendRequest(sender, place, messageText)));
  while (arrivals.length < users.length && performance.now() < sentAt + connectWithinMilliseconds) await delay(10);
  if (arrivals.length < users.length)
    throw new Error(`the message reached ${arrivals.length} of ${users.length} readers`);
  const allMilliseconds = Math.max(...arrivals) - sentAt;
  for (const feed of feeds) feed.close();
  for (const connection of [control, fresh]) connection.close();
  await node.stop();
  stage.say(
    `${kind}, ${users.length} idle clients: ${figure(kilobytes)} KB, ${figure(cpuMilliseconds)} ms of CPU time and ${figure(bytes)} bytes ` +
      `per client and minute; one message to all in ${figure(allMilliseconds)} ms`,
  );
  return { kilobytes, cpuMilliseconds, bytes, allMilliseconds };
}

const bytesOf = (feeds: readonly Feed[]): number =>
  feeds.reduce((sum, { bytes }) => sum + bytes.read + bytes.written, 0);

async function cpuSeconds({ pid }: ServerProcess): Promise<number> {
  return (await readUsage([{ name: "api", pid }])).cpu.get("api") ?? 0;
}

async function connectAll(
  kind: FeedKind,
  { url }: ServerProcess,
  queues: readonly Queue[],
  onMessage: OnMessage,
): Promise<Feed[]> {
  const { hostname: host, port } = new URL(url);
  const feeds: Feed[] = [];
  const deadline = performance.now() + connectWithinMilliseconds;
  const untilConnected = async () => {
    while ((await readMetric(url, "skein_waiting_polls")) < feeds.length) {
      if (performance.now() > deadline) throw new Error(`not all of ${queues.length} readers could connect`);
      await delay(20);
    }
  };
  for (const { id, reader, lastEventId } of queues) {
    let position = lastEventId;
    feeds.push(
      new (kind === "streams" ? StreamFeed : PollFeed)({
        host,
        port: Number(port),
        account: reader,
        queueId: id,
        position: () => position,
        onEvents: ({ eventIds, messageIds }, at) => {
          for (const messageId of messageIds) if (messageId > 0) onMessage(messageId, at);
          const last = eventIds.at(-1) ?? position;
          if (last <= position) throw new Error(`event ${last} came after event ${position}`);
          position = last;
        },
        onPosition: (eventId) => (position = Math.max(position, eventId)),
        onGone: (text) => {
          throw new Error(`a queue is gone: ${text}`);
        },
        onFailure: (status, text) => {
          throw new Error(`a reader got ${status === 0 ? "no response" : `status ${status}`}: ${text}`);
        },
      }),
    );
    if (feeds.length % atOnce === 0) await untilConnected();
  }
  await untilConnected();
  return feeds;
}

interface Busy {
  p50: number;
  p99: number;
  /** Per delivery. */
  cpuMicroseconds: number;
  bytes: number;
}

/** Messages at a steady rate while something else keeps a core busy; the two ways take turns. */
async function measureBusy(
  stage: Stage,
  audience: Audience,
  rounds: number,
  seconds: number,
): Promise<Record<FeedKind, Busy>[]> {
  const node = await stage.serve("api");
  const control = await Connection.open(node.url);
  const [sender] = audience.users;
  if (sender) await open(control, sender, [{ channel: audience.channel, topic: "imports" }]);
  // Warms up, so that hot code is compiled as in a long-running process.
  for (const kind of kinds) await sendSteadily(stage, kind, node, control, audience, seconds);
  const results: Record<FeedKind, Busy>[] = [];
  for (let round = 0; round < rounds; round++) {
    const [polls, streams] = await besideBusyCore(
      async () =>
        [
          await sendSteadily(stage, "polls", node, control, audience, seconds),
          await sendSteadily(stage, "streams", node, control, audience, seconds),
        ] as const,
    );
    results.push({ polls, streams });
    stage.say(`ms p50/p99 beside a busy core: polls ${shortly(polls)}, streams ${shortly(streams)}`);
  }
  control.close();
  return results;
}

const shortly = ({ p50, p99, cpuMicroseconds }: Busy): string =>
  `${figure(p50)}/${figure(p99)} (${figure(cpuMicroseconds)} µs of CPU time per delivery)`;

async function sendSteadily(
  stage: Stage,
  kind: FeedKind,
  node: ServerProcess,
  control: Connection,
  { users, channel }: Audience,
  seconds: number,
): Promise<Busy> {
  const queues = await registerAll(stage, control, users);
  const arrived: [id: number, at: number][] = [];
  const feeds = await connectAll(kind, node, queues, (id, at) => arrived.push([id, at]));
  const connections = await openConnections(node.url, 16);
  const dueAt = new Map<number, number>();
  const sends: Promise<void>[] = [];
  const [began, begun] = [bytesOf(feeds), await cpuSeconds(node)];
  const start = performance.now();
  const count = seconds * messagesPerSecond;
  const last = connections.map(() => Promise.resolve());
  for (let number = 0; number < count; number++) {
    const due = start + (number * 1000) / messagesPerSecond;
    const wait = due - performance.now();
    if (wait > 0) await delay(wait);
    const slot = number % connections.length;
    const [connection, sender] = [connections[slot], users[number % users.length]];
    if (!connection || !sender) throw new Error("there are connections and users");
    // Its time counts from when it was due, so that a slow server is not spared.
    const sent = (last[slot] ?? Promise.resolve()).then(async () => {
      const answer = await connection.send(sendRequest(sender, { channel, topic: "imports" }, messageText));
      demandSuccess(answer);
      dueAt.set((JSON.parse(answer.body.toString()) as { id: number }).id, due); // as declared
    });
    last[slot] = sent;
    sends.push(sent);
  }
  await Promise.all(sends);
  const deliveries = count * users.length;
  const deadline = performance.now() + connectWithinMilliseconds;
  while (arrived.length < deliveries && performance.now() < deadline) await delay(10);
  if (arrived.length !== deliveries) throw new Error(`${arrived.length} of ${deliveries} deliveries arrived`);
  const [ended, cpu] = [bytesOf(feeds), await cpuSeconds(node)];
  for (const feed of feeds) feed.close();
  for (const connection of connections) connection.close();
  const times = arrived.map(([id, at]) => at - (dueAt.get(id) ?? Number.NaN));
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    cpuMicroseconds: ((cpu - begun) * 1e6) / deliveries,
    bytes: (ended - began) / deliveries,
  };
}

function idleRows(count: number, { polls, streams }: Record<FeedKind, Idle>): Row[] {
  const row = (what: string, of: (idle: Idle) => number, unit: string): Row => ({
    what,
    bar: "≤ long polls",
    margin: of(polls) / of(streams),
    measured: `${figure(of(streams))} ${unit}`,
    baseline: `long polls: ${figure(of(polls))} ${unit}`,
    spread: "–",
  });
  return [
    row(`Memory of an idle stream, ${figure(count)} on one node`, ({ kilobytes }) => kilobytes, "KB"),
    row("CPU time of an idle stream, per minute", ({ cpuMilliseconds }) => cpuMilliseconds, "ms"),
    row("Bytes of an idle stream, per minute", ({ bytes }) => bytes, "bytes"),
    row(
      `One message to ${figure(count)} streams of one node, until the last has it`,
      ({ allMilliseconds }) => allMilliseconds,
      "ms",
    ),
  ];
}

function busyRows(rounds: readonly Record<FeedKind, Busy>[]): Row[] {
  const of = (kind: FeedKind, what: (busy: Busy) => number): number[] => rounds.map((round) => what(round[kind]));
  const against = (what: string, get: (busy: Busy) => number, unit: string): Row => ({
    what,
    bar: "≤ long polls",
    margin: median(of("polls", get)) / median(of("streams", get)),
    measured: `${figure(median(of("streams", get)))} ${unit}`,
    baseline: `long polls: ${figure(median(of("polls", get)))} ${unit} (${spread(of("polls", get))})`,
    spread: `${spread(of("streams", get))} ${unit}`,
  });
  const time = (name: "p50" | "p99"): Row => {
    const [streams, polls] = [of("streams", (busy) => busy[name]), of("polls", (busy) => busy[name])];
    return {
      what: `From send to delivery on streams, ${name}, ${messagesPerSecond} messages/s to ${readersPerMessage} readers beside a busy core`,
      bar: `≤ ${peer[name]} ms`,
      margin: peer[name] / median(streams),
      measured: `${figure(median(streams))} ms`,
      baseline: `ejabberd on such a machine: ${peer[name]} ms; our long polls: ${figure(median(polls))} ms (${spread(polls)})`,
      spread: `${spread(streams)} ms`,
    };
  };
  return [
    time("p50"),
    time("p99"),
    against(
      "CPU time of the node per delivery on streams, with that of the sends",
      ({ cpuMicroseconds }) => cpuMicroseconds,
      "µs",
    ),
    against("Bytes per delivery on streams", ({ bytes }) => bytes, "bytes"),
  ];
}
