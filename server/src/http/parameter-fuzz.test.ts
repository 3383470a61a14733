/** A short run of the fuzzer with a fixed seed; `npm run fuzz:parameters` is the long one. */
import { expect, test } from "vitest";
import { fuzz, writeReport } from "../../test/parameter-fuzz/fuzz.ts";
import { nodes } from "../../test/nodes.ts";
import { startProcess } from "../../test/server-process.ts";

test("hostile parameters of every operation are rejected or accepted, and break nothing", async () => {
  const [node] = await nodes();
  const server = await startProcess(node, {
    environment: {
      SKEIN_RATE_LIMITS: "false",
      SKEIN_CHECK_RESPONSES: "true",
      SKEIN_SMTP_URL: node.ctx.config.smtpUrl,
    },
  });
  let ending: string | undefined;
  void server.ended.then((how) => (ending = String(how)));

  const report = await fuzz(
    { url: server.url, db: node.ctx.db, log: server.log, ending: () => ending },
    { parameters: 300, seed: 12 },
  );

  expect(report.findings, writeReport(report)).toEqual([]);
  expect(report.operations.size).toBeGreaterThan(60);
  // The run is meaningful only if both outcomes are common.
  expect(Math.min(report.accepted, report.refused)).toBeGreaterThan(5);
  expect(report.unauthorized).toBeLessThan(report.requests / 10);
});
