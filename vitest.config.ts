import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["api/**/*.test.ts", "server/**/*.test.ts", "bench/**/*.test.ts", "faults/**/*.test.ts"],
    globalSetup: ["server/test/engines.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
