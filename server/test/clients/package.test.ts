/** The event loop of `@skein/api` on the real server, while nodes are killed and restarted. */
import { followEvents } from "@skein/api/follow-events.ts";
import { createClient } from "@skein/api/route-client.ts";
import { getOwnUser } from "@skein/api/routes.ts";
import { deleteQueue } from "@skein/api/registration.ts";
import { expect, onTestFinished, test } from "vitest";
import { channelOf, sendToChannel } from "../actions.ts";
import { newRealm, success, type TestUser } from "../realm.ts";
import { startProcess, type ServerProcess } from "../server-process.ts";
import { startTcpProxy } from "../tcp-proxy.ts";

const portOf = ({ url }: ServerProcess): number => Number(new URL(url).port);

/** A client whose requests arrive with the organization's host name, as through a reverse proxy. */
const clientOf = ({ email, apiKey, realm }: TestUser, site: string) =>
  createClient({
    site,
    email,
    apiKey,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("x-forwarded-host", realm.host);
      return fetch(url, { ...init, headers });
    },
  });

test("a program receives every message once and in order while nodes are killed, and registers anew if its queue is lost", async () => {
  const realm = await newRealm();
  const [hamlet, bot] = [await realm.user("hamlet"), await realm.user("echo")];
  const channel = await channelOf([hamlet, bot], "lobby");
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const [first, second] = await Promise.all([startProcess(node), startProcess(node)]);
  let balancer = await startTcpProxy(portOf(first));
  const { port } = balancer;
  onTestFinished(() => balancer.close());
  /** Kills a node; clients reach nothing until the balancer has another one. */
  const kill = async (dying: ServerProcess) => {
    dying.child.kill("SIGKILL");
    await dying.ended;
    await balancer.close();
  };

  const client = clientOf(bot, `http://127.0.0.1:${port}`);
  expect((await client.call(getOwnUser, {})).user_id).toBe(bot.id);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const received: string[] = [];
  const registrations: { queue_id: string; hasGap: boolean }[] = [];
  let failedRequests = 0;
  const events = followEvents(
    client,
    { event_types: ["message"] },
    {
      signal: stop.signal,
      onRegister: ({ queue_id }, hasGap) => void registrations.push({ queue_id, hasGap }),
      onRetry: () => void failedRequests++,
    },
  );
  const running = (async () => {
    for await (const event of events) if (event.type === "message") received.push(event.message.content);
  })();
  const sent: string[] = [];
  const say = async (content: string) => {
    await sendToChannel(hamlet, channel, { content });
    sent.push(content);
  };
  await expect.poll(() => registrations.length).toBe(1);

  // One of two nodes is killed between messages, and another takes over.
  for (let i = 0; i < 10; i++) await say(`before ${i}`);
  await kill(first);
  for (let i = 0; i < 10; i++) await say(`unreachable ${i}`);
  await expect.poll(() => failedRequests).toBeGreaterThan(0);
  balancer = await startTcpProxy(portOf(second), port);
  await say("on the other node");
  await expect.poll(() => received).toEqual(sent);

  // The last node is killed, too, and the server is started again.
  await kill(second);
  await say("down");
  balancer = await startTcpProxy(portOf(await startProcess(node)), port);
  await say("started again");
  await expect.poll(() => received).toEqual(sent);
  expect(registrations).toHaveLength(1);

  // The queue is lost, as after ten minutes without a read or in a new epoch of the event log.
  success(await bot.call(deleteQueue, { queue_id: registrations[0]?.queue_id ?? "" }));
  await expect.poll(() => registrations.length).toBe(2);
  expect(registrations[1]?.hasGap).toBe(true);
  await say("in the new queue");
  await expect.poll(() => received).toEqual(sent);

  stop.abort();
  await running;
});
