/** People who write at a steady rate while something else goes on. */
import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../connection.ts";
import { addChannels, open, settle, subscribe } from "../organization.ts";
import { demandSuccess, messageText, sendRequest, type Account } from "../request.ts";
import type { Stage } from "../stage.ts";

const sendsPerSecond = 50;
const connectionCount = 64;

/** When it was due, and the milliseconds that it took from then on. */
export interface Sent {
  due: number;
  milliseconds: number;
}

export type Write = (isOver: () => boolean) => Promise<Sent[]>;

/** Starts a server in whose organization somebody can write. */
export async function startWriters(stage: Stage, realm: number, sender: Account): Promise<Write> {
  const [channel = 0] = await addChannels(stage, realm, 1);
  await subscribe(stage, realm, [sender], [channel]);
  await settle(stage);
  await stage.serve("relay");
  const api = await stage.serve("api");
  const connections = await Promise.all(Array.from({ length: connectionCount }, () => Connection.open(api.url)));
  const place = { channel, topic: "meanwhile" };
  const [first] = connections;
  if (first) await open(first, sender, [place]);
  const request = sendRequest(sender, place, messageText);

  return async (isOver) => {
    const sent: Sent[] = [];
    const flying = connections.map(() => Promise.resolve());
    for (let count = 0, due = performance.now(); !isOver(); count++, due += 1000 / sendsPerSecond) {
      await delay(Math.max(0, due - performance.now()));
      const slot = count % connectionCount;
      await flying[slot]; // its time counts from when it was due, so that a slow server is not spared
      const dueNow = due;
      flying[slot] = (connections[slot] as Connection).send(request).then((answer) => {
        demandSuccess(answer);
        sent.push({ due: dueNow, milliseconds: performance.now() - dueNow });
      });
    }
    await Promise.all(flying);
    return sent;
  };
}
