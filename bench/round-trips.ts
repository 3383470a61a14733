/** How many statements each frequent operation executes, as counted by the server. */
import { Connection } from "./connection.ts";
import type { Outcome, Row } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, register, settle, subscribe } from "./organization.ts";
import { apiRequest, call, demandSuccess, messageText, pollRequest, sendRequest } from "./request.ts";
import type { Stage } from "./stage.ts";
import { figure } from "./statistics.ts";
import { readMetric } from "./waiting.ts";

export async function measureRoundTrips(stage: Stage): Promise<Outcome> {
  const times = stage.isQuick ? 20 : 500;
  const { url, connection, operations } = await prepare(stage);
  const found: { name: string; bar: number; trips: number }[] = [];
  for (const { name, bar, request } of operations) {
    for (let time = 0; time < 5; time++) demandSuccess(await connection.send(request(time)));
    const trips = await countTrips(url, async () => {
      for (let time = 0; time < times; time++) demandSuccess(await connection.send(request(time)));
    });
    found.push({ name, bar, trips: trips / times });
    stage.say(`${name}: ${figure(trips / times)}`);
  }
  // The node also executes statements of its own now and then (which queues are alive), which are counted too.
  const allowance = 0.05;
  return {
    rows: found.map(({ name, bar, trips }): Row => ({
      what: `Database round trips: ${name}`,
      bar: `≤ ${bar}`,
      margin: (bar + allowance) / trips,
      measured: trips.toFixed(2),
      baseline: `the server's own count over ${times} calls`,
      spread: "–",
    })),
    chart: {
      title: "Database round trips",
      unit: "per operation",
      bars: found.map(({ name, trips }) => ({ label: name, value: trips, kind: "ours" })),
      bar: { value: 1, label: "1" },
    },
  };
}

/** The number of statements executed during the work. */
async function countTrips(url: string, work: () => Promise<void>): Promise<number> {
  const count = () => readMetric(url, "skein_database_statements_total");
  const first = await count();
  const second = await count();
  await work();
  return (await count()) - second - (second - first);
}

async function prepare(stage: Stage) {
  const realm = await makeRealm(stage);
  const [sender, reader] = await addUsers(stage, realm, 2);
  if (!sender || !reader) throw new Error("there are two users");
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, [sender, reader], [channel]);
  await settle(stage);
  await stage.serve("relay");
  const { url } = await stage.serve("api");
  const connection = await Connection.open(url);
  const place = { channel, topic: "imports" };
  await open(connection, sender, [place]);
  const queue = await register(connection, reader);
  const send = sendRequest(sender, place, messageText);
  const { id } = await call<{ id: number }>(connection, send);
  const flag = (op: string) =>
    apiRequest(reader, "POST", "/messages/flags", { messages: JSON.stringify([id]), op, flag: "read" });
  const star = (op: string) =>
    apiRequest(reader, "POST", "/messages/flags", { messages: JSON.stringify([id]), op, flag: "starred" });
  const inTurn = (make: (op: string) => Buffer) => {
    const both = [make("add"), make("remove")] as const;
    return (time: number) => both[time % 2 === 0 ? 0 : 1];
  };
  const message = apiRequest(reader, "GET", `/messages/${id}`);
  const poll = pollRequest(reader, queue.id, queue.lastEventId, true);
  const operations: { name: string; bar: number; request: (time: number) => Buffer }[] = [
    { name: "send", bar: 1, request: () => send },
    { name: "mark as read or unread", bar: 2, request: inTurn(flag) },
    { name: "star or unstar", bar: 2, request: inTurn(star) },
    { name: "one message", bar: 1, request: () => message },
    { name: "read of events", bar: 0, request: () => poll },
  ];
  return { url, connection, operations };
}
