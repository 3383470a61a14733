/** Runs the service of an outgoing-webhook bot, and returns what it is sent when somebody mentions the bot. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { channels } from "@skein/api/examples/demo.ts";
import { send } from "./extra-events.ts";
import type { Performer } from "./perform.ts";
import type { Json } from "./shape.ts";

const question = "@**Gardener** when was basin 3 watered?";

export interface Delivered {
  /** The body of the request that the service got. */
  request: Json;
  /** What the bot posted in the same topic. */
  reply: string;
}

export async function deliverToService(performer: Performer, response: Json): Promise<Delivered> {
  const service = createServer();
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  try {
    const { port } = service.address() as AddressInfo; // it listens on a port
    const payload_url = `http://127.0.0.1:${port}/gardener`;
    await send(performer, "createBot", { full_name: "Gardener", short_name: "gardener", bot_type: 3, payload_url });
    const queue = await send(performer, "register", { event_types: ["message"], fetch_event_types: [] });
    const message = { type: "channel", to: channels.engineering, topic: "watering", content: question } as const;
    const requested = once(service, "request");
    await send(performer, "sendMessage", message);
    const [request, answer] = (await requested) as [IncomingMessage, ServerResponse]; // as documented
    const body = JSON.parse(await text(request)) as Json;
    answer.setHeader("content-type", "application/json").end(JSON.stringify(response));
    return { request: body, reply: await nextMessageOf("Gardener", performer, queue) };
  } finally {
    service.closeAllConnections();
    service.close();
  }
}

async function nextMessageOf(name: string, performer: Performer, queue: Record<string, unknown>): Promise<string> {
  const queue_id = String(queue["queue_id"]);
  let last_event_id = Number(queue["last_event_id"]);
  for (;;) {
    const { events } = (await send(performer, "getEvents", { queue_id, last_event_id })) as {
      events: { id: number; message?: { sender_full_name: string; content: string } }[];
    }; // as documented
    const found = events.find(({ message }) => message?.sender_full_name === name);
    if (found?.message) return found.message.content;
    last_event_id = events.at(-1)?.id ?? last_event_id;
  }
}
