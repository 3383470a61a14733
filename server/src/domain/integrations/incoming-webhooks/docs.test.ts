/** Runs the commands of docs/webhooks.md as they are written, and compares the results with the page. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newRealm } from "../../../../test/realm.ts";
import { channelOf } from "../../../../test/actions.ts";
import { integrations } from "./integrations.ts";

const page = await readFile(join(import.meta.dirname, "../../../../../docs/webhooks.md"), "utf8");
const blocksOf = (kind: string) => [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, its]) => its === kind);

test("the page describes every integration", () => {
  for (const { name } of integrations) expect(page).toContain(`| \`${name}\` |`);
});

test("its example posts the message it shows", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  await channelOf([admin], "arrivals");
  const queue = await admin.register(["message"]);
  // The test server hosts many organizations, so the host name selects one.
  const hosted = 'curl() { command curl -H "x-forwarded-host: $REALM_HOST" "$@"; }';
  const commands = blocksOf("sh").map(([, , text]) => text);

  const { stdout } = await promisify(execFile)("bash", ["-c", ["set -euo pipefail", hosted, ...commands].join("\n")], {
    env: {
      ...process.env,
      SITE: realm.nodes[0]?.url,
      OWNER: `${admin.email}:${admin.apiKey}`,
      REALM_HOST: realm.host,
    },
  });

  expect(stdout.trim()).toBe(blocksOf("text")[0]?.[2]?.trim());
  const { message } = await queue.nextOf("message");
  expect(message).toMatchObject({
    sender_full_name: "Harbor",
    display_recipient: "arrivals",
    subject: "tide",
    content: "**Basin 3** is [full](https://example.com/basins/3).",
  });
});
