/**
 * Fifty members follow one channel on two nodes while ten senders write: how many messages per second reach everybody,
 * with nothing lost, repeated or out of order; and how long a message takes at a fixed, moderate rate.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "./connection.ts";
import { Member } from "./member.ts";
import type { Outcome } from "./measurement.ts";
import { addChannels, addUsers, makeRealm, open, register, settle, subscribe } from "./organization.ts";
import { call, messageText, sendRequest } from "./request.ts";
import type { Stage } from "./stage.ts";
import { figure, median, percentile, spread } from "./statistics.ts";

const memberCount = 50;
const senderCount = 10;
const bars = { rate: 400, aim: 1500, perSecond: 100, milliseconds: 60 };

interface Sent {
  id: number;
  begunAt: number;
}

interface Sender {
  connection: Connection;
  request: Buffer;
  sent: Sent[];
}

export async function measureBusyChannel(stage: Stage): Promise<Outcome> {
  const [rounds, seconds] = stage.isQuick ? [1, 3] : [3, 20];
  const { members, senders } = await prepare(stage);
  await sendUntilStopped(members, senders, stage.isQuick ? 1 : 8, 0);
  const rates: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rates.push(await sendUntilStopped(members, senders, seconds, 0));
    const answers = members.reduce((total, member) => total + member.answers, 0);
    const events = members.reduce((total, member) => total + member.received.length, 0);
    stage.say(`${figure(rates.at(-1) ?? 0)} messages/s to everybody, ${figure(events / answers)} events per response`);
    await sendUntilStopped(members, senders, stage.isQuick ? 3 : 10, bars.perSecond);
    times.push(percentile(deliveryTimes(members, senders), 0.99));
    stage.say(`at ${bars.perSecond}/s: p99 ${figure(times.at(-1) ?? 0)} ms`);
  }
  for (const member of members) member.stop();
  return {
    rows: [
      {
        what: `Messages a second to ${memberCount} members of one channel on two nodes, ${senderCount} senders`,
        bar: `≥ ${bars.rate}/s`,
        margin: median(rates) / bars.rate,
        aim: `${figure(bars.aim)}/s`,
        measured: `${figure(median(rates))}/s, nothing lost, repeated or out of order`,
        baseline: "ejabberd on such a machine: 361/s",
        spread: `${spread(rates)}/s`,
      },
      {
        what: `From send to delivery at ${bars.perSecond} messages/s, p99`,
        bar: `< ${bars.milliseconds} ms`,
        margin: bars.milliseconds / median(times),
        measured: `${figure(median(times))} ms`,
        baseline: "–",
        spread: `${spread(times)} ms`,
      },
    ],
    chart: {
      title: `One channel, ${memberCount} members, ${senderCount} senders`,
      unit: "messages per second",
      bars: [
        { label: "ejabberd", value: 361, kind: "baseline" },
        { label: "Skein", value: median(rates), kind: "ours" },
      ],
      bar: { value: bars.rate, label: `${bars.rate}` },
    },
  };
}

/** One round measures the messages per second that reach all members. */
export async function openBusyChannel(stage: Stage): Promise<() => Promise<number>> {
  const { members, senders } = await prepare(stage);
  return () => sendUntilStopped(members, senders, 10, 0);
}

async function prepare(stage: Stage): Promise<{ members: Member[]; senders: Sender[] }> {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, memberCount);
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, users, [channel]);
  await settle(stage);
  await stage.serve("relay");
  const nodes = [await stage.serve("api"), await stage.serve("api")] as const;
  const place = { channel, topic: "imports" };
  const connect = (index: number) => Connection.open(nodes[index % 2 === 0 ? 0 : 1].url);
  const [owner] = users;
  if (owner) await open(await connect(0), owner, [place]);
  const members = await Promise.all(
    users.map(async (user, index) => {
      const connection = await connect(index);
      return new Member(connection, await register(connection, user));
    }),
  );
  const senders = await Promise.all(
    users.slice(0, senderCount).map(async (user, index): Promise<Sender> => {
      const request = sendRequest(user, place, messageText);
      return { connection: await connect(index), request, sent: [] };
    }),
  );
  return { members, senders };
}

/**
 * Each sender writes its next message as soon as the last one is acknowledged, or at its share of `perSecond` when that
 * is not 0. Returns the messages per second until the last member had the last one; throws unless everybody got everything.
 */
async function sendUntilStopped(
  members: readonly Member[],
  senders: readonly Sender[],
  seconds: number,
  perSecond: number,
): Promise<number> {
  for (const member of members) member.startOver();
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const send = async (sender: Sender, index: number) => {
    sender.sent = [];
    const every = perSecond === 0 ? 0 : (senders.length / perSecond) * 1000;
    for (let next = begun + (index / senders.length) * every; next < end; next += every) {
      const early = next - performance.now();
      if (every > 0 && early > 0) await delay(early);
      const begunAt = performance.now();
      if (begunAt >= end) break;
      const { id } = await call<{ id: number }>(sender.connection, sender.request);
      sender.sent.push({ id, begunAt });
    }
  };
  await Promise.all(senders.map(send));
  const count = senders.reduce((total, sender) => total + sender.sent.length, 0);
  await Promise.all(members.map((member) => member.untilReceived(count)));
  const last = Math.max(...members.map((member) => member.lastAt));
  demandExact(members, senders);
  return count / ((last - begun) / 1000);
}

/** Checks that everybody got every message once, in the same order, which preserves the order of each sender. */
function demandExact(members: readonly Member[], senders: readonly Sender[]): void {
  const [first] = members;
  if (!first) return;
  const order = first.received.map(({ id }) => id);
  const position = new Map(order.map((id, index) => [id, index]));
  const count = senders.reduce((total, { sent }) => total + sent.length, 0);
  if (position.size !== order.length) throw new Error("a message was delivered twice");
  if (order.length !== count) throw new Error(`${order.length} messages were delivered, ${count} sent`);
  for (const member of members) {
    if (member.received.some(({ id }, index) => id !== order[index]) || member.received.length !== count)
      throw new Error("two members had the messages in a different order");
  }
  for (const { sent } of senders) {
    let last = -1;
    for (const { id } of sent) {
      const at = position.get(id);
      if (at === undefined) throw new Error(`message ${id} was lost`);
      if (at < last) throw new Error("messages of one sender were out of order");
      last = at;
    }
  }
}

function deliveryTimes(members: readonly Member[], senders: readonly Sender[]): number[] {
  const begunAt = new Map(senders.flatMap(({ sent }) => sent.map((message) => [message.id, message.begunAt])));
  return members.flatMap(({ received }) => received.map(({ id, at }) => at - (begunAt.get(id) ?? Infinity)));
}
