import { defineConfig } from "vitest/config";
import { LongestFirst } from "./.ci/longest-first.ts";

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes by itself; how soon is the machine's matter.
    expect: { poll: { timeout: 15_000, interval: 100 } },
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["api/**/*.test.ts", "server/**/*.test.ts", "bench/**/*.test.ts", "faults/**/*.test.ts"],
          globalSetup: ["server/test/engines.ts"],
          setupFiles: process.env["TEST_RECORD"] ? ["server/test/record-shown.ts"] : [],
        },
      },
      // The web client in a browser, against the real server: `npm run test:e2e`.
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["web/e2e/**/*.test.ts"],
          globalSetup: ["server/test/engines.ts", "web/e2e/built-client.ts"],
          // A window loads, asks and paints before a test can begin.
          testTimeout: 60_000,
          expect: { poll: { timeout: 25_000, interval: 50 } },
        },
      },
      // What needs neither engines nor a browser.
      {
        extends: true,
        oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
        test: { name: "web", include: ["web/src/**/*.test.{ts,tsx}"], environment: "happy-dom" },
      },
    ],
  },
});
