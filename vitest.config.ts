import { defineConfig } from "vitest/config";
import { LongestFirst } from "./.ci/longest-first.ts";
import { pureTests } from "./server/test/pure-tests.ts";

const setUpServerFile = [
  "server/test/set-up-file.ts",
  ...(process.env["TEST_RECORD"] ? ["server/test/record-shown.ts"] : []),
];
/** Tests that need a process of their own: they replace a module or a global, load a package that does, or measure delays. */
const isolatedTests = [
  "server/src/domain/joining/sign-in/enumeration.test.ts",
  "server/src/http/hostile-bodies.test.ts",
  // zulip-js replaces FormData.
  "server/test/clients/zulip-js.test.ts",
];

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Generous, because a busy machine is slow: only what hangs takes that long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["server/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...pureTests, ...isolatedTests],
          globalSetup: ["server/test/engines.ts"],
          setupFiles: setUpServerFile,
          // Loading the server takes longer than most files' tests, so the files that a worker runs share it.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "server-isolated",
          include: isolatedTests,
          globalSetup: ["server/test/engines.ts"],
          setupFiles: setUpServerFile,
        },
      },
      // Tests that need no engines: `npm run test:pure`.
      { extends: true, test: { name: "pure", include: pureTests, setupFiles: ["server/test/set-up-file.ts"] } },
      // The web client in a browser, against the real server: `npm run test:e2e`.
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["web/e2e/**/*.test.ts"],
          globalSetup: ["server/test/engines.ts", "web/e2e/built-client.ts"],
          setupFiles: ["server/test/set-up-file.ts"],
          expect: { poll: { timeout: 30_000, interval: 50 } },
        },
      },
      // Tests that need neither engines nor a browser.
      {
        extends: true,
        oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
        test: { name: "web", include: ["web/src/**/*.test.{ts,tsx}"], environment: "happy-dom" },
      },
    ],
  },
});
