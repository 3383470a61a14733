import { expect } from "vitest";
import type { TestUser } from "./realm.ts";

/** Runs an action that updates this user's presence, and waits until every node has the update. */
export async function untilOnEveryNode<T>(user: TestUser, doing: () => Promise<T>): Promise<T> {
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
