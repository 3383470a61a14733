import { expect } from "vitest";
import type { TestUser } from "./realm.ts";

/** Does something of which clients hear of this user's presence, and waits until every node has heard of it. */
export async function heardEverywhere<T>(user: TestUser, doing: () => Promise<T>): Promise<T> {
  const queues = await Promise.all(user.realm.nodes.map(() => user.register(["presence"])));
  const done = await doing();
  for (const [node, queue] of queues.entries()) {
    const params = { queue_id: queue.id, last_event_id: String(queue.lastEventId) };
    expect(await user.on(node).request("GET", "/events", params)).toMatchObject({
      events: [{ type: "presence", user_id: user.id }],
    });
  }
  return done;
}
