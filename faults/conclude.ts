/** The end of a scenario: everything sent has to arrive, and what was accepted, stored and delivered is compared. */
import { setTimeout as delay } from "node:timers/promises";
import { readExpected, readStored } from "./evidence.ts";
import type { Organization } from "./organization.ts";
import type { Reader, Tally } from "./readers.ts";
import type { Say } from "./report.ts";
import { sendMarkers, type Senders } from "./senders.ts";
import { judge } from "./verdict.ts";
import type { World } from "./world.ts";

/** How long the last messages may take to reach every queue. */
const settleMilliseconds = 60_000;

/** A finding of any kind, as reports show it. */
export interface Problem {
  rule: string;
  about: string;
  text: string;
}

interface Ending {
  world: World;
  organization: Organization;
  /** They have stopped. */
  senders: Senders;
  readers: readonly Reader[];
  tally: Tally;
  say: Say;
}

/** Sends the markers, waits until every queue has its own, and compares what was accepted, stored and delivered. */
export async function conclude({ world, organization, senders, readers, tally, say }: Ending) {
  await world.ready();
  say("sending ends, reading on …");
  const markers = await sendMarkers(organization);
  await settle(
    readers,
    markers.map(({ id }) => id),
    world,
  );
  await Promise.all(readers.map((reader) => reader.stop()));

  say("comparing …");
  const stored = await readStored(world.db);
  const queues = [];
  for (const reader of readers) queues.push(await historyOf(world, reader));
  const acknowledged = [...senders.acknowledged, ...markers];
  const findings: Problem[] = [
    ...judge({ stored, acknowledged, deliveredTexts: tally.texts, queues }),
    ...otherFindings(world, tally),
  ];
  return { markers, stored, acknowledged, findings };
}

/** Waits until each reader has received its markers; the verdict reports those that never do. */
export async function settle(readers: readonly Reader[], markers: readonly number[], world: World): Promise<void> {
  const deadline = performance.now() + settleMilliseconds;
  const isMarker = new Set(markers);
  for (const reader of readers) {
    if (reader.queueId === undefined) continue;
    const due = (await readExpected(world.db, reader.queueId, reader.kind)).filter((id) => isMarker.has(id));
    const hasAll = () => {
      const seen = new Set(reader.deliveries.slice(-2 * isMarker.size).map(({ messageId }) => messageId));
      return due.every((id) => seen.has(id));
    };
    while (!hasAll() && !reader.isExpired && performance.now() < deadline) await delay(20);
  }
}

/** A queue's history, for the verdict. */
async function historyOf(world: World, reader: Reader) {
  const { name, deliveries, isExpired, queueId = "00000000-0000-0000-0000-000000000000" } = reader;
  return {
    name,
    deliveries,
    expected: await readExpected(world.db, queueId, reader.kind),
    isExpired: false,
    complaints: isExpired ? ["the server no longer knew the queue"] : [],
  };
}

/** Findings other than lost and repeated messages. */
export function otherFindings(world: World, tally: Tally): Problem[] {
  return [
    ...world.processes
      .filter(({ crashes }) => crashes > 0)
      .map(({ name, crashes }) => ({ rule: "no crash", about: name, text: `crashed ${crashes} times` })),
    ...tally.garbled.map((text) => ({ rule: "delivered once", about: "messages", text })),
    ...(tally.stuckReads > 0
      ? [{ rule: "every read is answered", about: "queues", text: `${tally.stuckReads} reads got no answer at all` }]
      : []),
  ];
}
