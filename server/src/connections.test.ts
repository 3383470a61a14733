import { sql } from "kysely";
import { expect, test } from "vitest";
import { nodes } from "../test/nodes.ts";
import { applicationName, checkConnections, planConnections } from "./connections.ts";
import type { Logger } from "./platform/log.ts";
import { release } from "./platform/release.ts";

const settings = { databaseConnections: 10, jobConcurrency: 4 };
const total = (...roles: ("api" | "relay" | "worker")[]) => planConnections({ ...settings, roles }).total;

/** PostgreSQL's default, minus the connections reserved for superusers. */
const usual = 100 - 3;

test("two processes of each role stay within PostgreSQL's default limit", () => {
  expect(2 * (total("api") + total("relay") + total("worker"))).toBeLessThan(usual);
});

test("a process with all roles opens no more connections than one process per role", () => {
  expect(total("api", "relay", "worker")).toBeLessThanOrEqual(total("api") + total("relay") + total("worker"));
});

test("the application name contains the connection limit, however long the node name is", () => {
  const plan = planConnections({ ...settings, roles: ["api"] });

  expect(applicationName("node-1", plan)).toBe(`skein/${release} node-1 (up to ${plan.total})`);
  expect(applicationName("n".repeat(80), plan)).toHaveLength(63);
});

test("a process does not start when it needs more connections than PostgreSQL allows, and warns when all together might", async () => {
  const [{ ctx }] = await nodes();
  const warnings: unknown[] = [];
  const logger = { warn: (facts: unknown) => warnings.push(facts) } as unknown as Logger; // all that is called
  const plan = planConnections({ ...settings, roles: ["api"] });
  const { rows } = await sql<{ most: number }>`select current_setting('max_connections')::int as most`.execute(ctx.db);
  const most = rows[0]?.most ?? 0;

  await expect(checkConnections(ctx.db, logger, "x", { ...plan, total: most })).rejects.toThrow(
    /This process may open \d+ connections/,
  );
  await checkConnections(ctx.db, logger, "x", { ...plan, total: most - 10 });

  expect(warnings).toMatchObject([{ this_process: most - 10 }]);
});
