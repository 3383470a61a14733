import { afterEach, expect, test, vi } from "vitest";
import { part } from "./state.ts";
import { connection, generation, startSync } from "./sync.ts";

afterEach(() => vi.unstubAllGlobals());

/** A server that records requests and responds from a list; after that it keeps the client waiting. */
function serve(answers: Record<string, (() => Response)[]>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string, { method = "GET" }: RequestInit = {}) => {
    const name = `${method} ${path.split("?")[0]}`;
    asked.push(name);
    const answer = answers[name]?.shift();
    return answer ? Promise.resolve(answer()) : new Promise(() => undefined);
  });
  return asked;
}

const success = (answer: object) => (): Response => Response.json({ result: "success", msg: "", ...answer });
const registered = (queue_id: string, realm_name: string) =>
  success({ queue_id, last_event_id: -1, user_id: 5, realm_name, realm_users: [] });

test("after an event that cannot be applied the state is fetched again, and the client keeps polling", async () => {
  vi.stubGlobal("reportError", vi.fn());
  const asked = serve({
    "POST /json/register": [registered("first", "Before"), registered("second", "After")],
    "GET /json/events": [
      success({ events: [{ id: 0, type: "message" }] }),
      success({ events: [{ id: 1, type: "realm", op: "update", property: "name", value: "Renamed" }] }),
    ],
    "DELETE /json/events": [success({})],
  });

  void startSync();

  await expect.poll(() => part("realm_name").value).toBe("Renamed");
  expect(asked.slice(0, 5)).toEqual([
    "POST /json/register",
    "GET /json/events",
    "DELETE /json/events",
    "POST /json/register",
    "GET /json/events",
  ]);
  expect(generation.value).toBe(2);
  expect(connection.value).toBe("live");
});
