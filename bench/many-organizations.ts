/** Many small organizations on one node: what those cost in which nothing happens, and those in which people write. */
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "./connection.ts";
import type { Outcome } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, register, settle, subscribe } from "./organization.ts";
import { demandSuccess, messageText, pollRequest, sendRequest, type Account } from "./request.ts";
import { residentBytes, type ServerProcess } from "./server-process.ts";
import type { Stage } from "./stage.ts";
import { figure } from "./statistics.ts";

const peoplePerOrganization = 5;
const activeShare = 0.01;
/** Long enough for the slowest regular chore to run twice. */
const idleSeconds = 65;
const bars = { startMilliseconds: 2000, idleBytes: 1000, activeKilobytes: 100, tickMilliseconds: 50 };

interface Organization {
  people: Account[];
  channel: number;
}

interface Idle {
  startMilliseconds: number;
  bytes: number;
  chores: Map<string, number>;
}

export async function measureOrganizations(stage: Stage): Promise<Outcome> {
  const count = stage.isQuick ? 200 : 10_000;
  const first = await makeOrganization(stage, "");
  const alone = await measureNode(stage, async (node) => measureIdle(stage, node));
  const organizations = [first];
  for (let n = 1; n < count; n++) {
    organizations.push(await makeOrganization(stage, `team-${n}`));
    if (n % 1000 === 0) stage.say(`${figure(n)} organizations`);
  }
  await settle(stage);
  const active = organizations.filter((_, n) => n % (1 / activeShare) === 0);
  const { many, activeKilobytes } = await measureNode(stage, async (node) => {
    const idle = await measureIdle(stage, node);
    return { many: idle, activeKilobytes: await measureActive(stage, node, idle, active) };
  });
  const idleBytes = Math.max(0, many.bytes - alone.bytes) / count;
  const [slowest, tick] = [...many.chores].reduce((one, other) => (one[1] > other[1] ? one : other));
  const megabytes = ({ bytes }: Idle): string => `${figure(bytes / 1024 ** 2)} MB`;
  return {
    rows: [
      {
        what: `Start of a node with all roles, ${figure(count)} organizations`,
        bar: `≤ ${figure(bars.startMilliseconds)} ms`,
        margin: bars.startMilliseconds / many.startMilliseconds,
        measured: `${figure(many.startMilliseconds)} ms`,
        baseline: `with one: ${figure(alone.startMilliseconds)} ms`,
        spread: "–",
      },
      {
        what: `Memory for each of ${figure(count)} idle organizations`,
        bar: `≤ ${figure(bars.idleBytes)} bytes`,
        margin: bars.idleBytes / idleBytes,
        measured: `${figure(idleBytes)} bytes (${megabytes(many)} in all)`,
        baseline: `with one: ${megabytes(alone)}`,
        spread: "–",
      },
      {
        what: `Memory for each of ${figure(active.length)} active organizations, ${peoplePerOrganization} people with a waiting read`,
        bar: `≤ ${bars.activeKilobytes * peoplePerOrganization} KB`,
        margin: (bars.activeKilobytes * peoplePerOrganization) / activeKilobytes,
        measured: `${figure(activeKilobytes)} KB`,
        baseline: "the same node before",
        spread: "–",
      },
      {
        what: "The slowest chore of a worker, mean of its runs",
        bar: `≤ ${bars.tickMilliseconds} ms`,
        margin: bars.tickMilliseconds / tick,
        measured: `${figure(tick)} ms (${slowest})`,
        baseline: `with one organization: ${figure(alone.chores.get(slowest) ?? 0)} ms`,
        spread: "–",
      },
    ],
    chart: {
      title: `Chores with ${figure(count)} organizations`,
      unit: "milliseconds a run",
      bars: [...many.chores].map(([label, value]) => ({ label, value, kind: "ours" })),
      bar: { value: bars.tickMilliseconds, label: `${bars.tickMilliseconds} ms` },
    },
  };
}

async function makeOrganization(stage: Stage, name: string): Promise<Organization> {
  const realm = await makeRealm(stage, name);
  const people = await addUsers(stage, realm, peoplePerOrganization);
  const channels = await addChannels(stage, realm, 3);
  await subscribe(stage, realm, people, channels);
  return { people, channel: channels[0] ?? 0 };
}

async function measureNode<T>(
  stage: Stage,
  measure: (node: ServerProcess & { startMilliseconds: number }) => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const node = await stage.serve("api,relay,worker", { preload: ["collect-garbage.ts"] });
  try {
    return await measure({ ...node, startMilliseconds: performance.now() - begun });
  } finally {
    await node.stop();
  }
}

async function measureIdle(
  { isQuick, say }: Stage,
  node: ServerProcess & { startMilliseconds: number },
): Promise<Idle> {
  await delay((isQuick ? 12 : idleSeconds) * 1000); // what is measured is what the node does by itself
  const chores = await readChores(node.url);
  const bytes = await residentBytes(node);
  say(`started in ${figure(node.startMilliseconds)} ms; idle ${figure(bytes / 1024 ** 2)} MB`);
  for (const [name, milliseconds] of chores) say(`  ${name}: ${figure(milliseconds)} ms`);
  return { startMilliseconds: node.startMilliseconds, bytes, chores };
}

/** The mean milliseconds of a run, by name. */
async function readChores(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = (kind: "sum" | "count") =>
    new Map(
      [
        ...text.matchAll(new RegExp(`^skein_chore_seconds_${kind}\\{.*name="([^"]+)",outcome="done".*\\} (.+)$`, "gm")),
      ].map(([, name = "", value]): [string, number] => [name, Number(value)]),
    );
  const counts = values("count");
  return new Map([...values("sum")].map(([name, seconds]) => [name, (seconds * 1000) / (counts.get(name) ?? 1)]));
}

/** KB for each organization in which somebody writes and everybody reads. */
async function measureActive(
  stage: Stage,
  node: ServerProcess,
  { bytes }: Idle,
  active: readonly Organization[],
): Promise<number> {
  const connections: Connection[] = [];
  for (const { people, channel } of active) {
    const writer = await Connection.open(node.url);
    connections.push(writer);
    const [author] = people;
    if (!author) throw new Error("there are people");
    await open(writer, author, [{ channel, topic: "plans" }]);
    demandSuccess(await writer.send(sendRequest(author, { channel, topic: "plans" }, messageText)));
    for (const person of people) {
      const reader = await Connection.open(node.url);
      connections.push(reader);
      const queue = await register(reader, person);
      reader.send(pollRequest(person, queue.id, queue.lastEventId)).catch(() => undefined); // closed below
    }
  }
  const after = await residentBytes(node);
  stage.say(`${figure(active.length)} active: ${figure(after / 1024 ** 2)} MB`);
  for (const connection of connections) connection.close();
  return (after - bytes) / active.length / 1024;
}
