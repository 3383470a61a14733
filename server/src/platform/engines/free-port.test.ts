import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("a port is not chosen again while this process lives, here or in another process", async () => {
  const lowest = await freePort();
  const highest = lowest + 4;
  const taken = new Set([lowest]);
  for (;;) {
    const port = await freePort(lowest, highest).catch(() => undefined);
    if (port === undefined) break;
    expect(taken).not.toContain(port);
    taken.add(port);
  }

  const file = JSON.stringify(join(import.meta.dirname, "free-port.ts"));
  const program = `await (await import(${file})).freePort(${lowest}, ${highest})`;

  await expect(promisify(execFile)(process.execPath, ["--eval", program])).rejects.toThrow("No free port was found");
});
