import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";

test("a node whose event log no relay has begun is alive, and says that it is not ready", async () => {
  const log = `lone_${randomBytes(4).toString("hex")}`;
  const { url } = await startNode({ environment: { SKEIN_ROLES: "api", SKEIN_LOG_NAME: log }, isAwaited: false });
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, body: (await answer.json()) as unknown };
  };

  expect(await get("/health/live")).toMatchObject({ status: 200 });
  expect(await get("/health")).toEqual({
    status: 500,
    body: { result: "error", msg: "The server is not ready", code: "SERVER_NOT_READY" },
  });
  expect(await get("/health/ready")).toMatchObject({
    status: 503,
    body: {
      status: "not ready",
      checks: { postgresql: "ok", event_log: expect.stringContaining("is a relay running?") },
    },
  });
});
