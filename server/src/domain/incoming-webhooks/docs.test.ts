/** The commands of docs/webhooks.md are run as they stand, and what the page says one sees is seen. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { newRealm } from "../../../test/realm.ts";
import { channelOf } from "../../../test/talk.ts";
import { integrations } from "./integrations.ts";

const page = await readFile(join(import.meta.dirname, "../../../../docs/webhooks.md"), "utf8");
const blocksOf = (kind: string) => [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, its]) => its === kind);

test("the page tells of every integration", () => {
  for (const { name } of integrations) expect(page).toContain(`| \`${name}\` |`);
});

test("its example posts what it says", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  await channelOf([admin], "arrivals");
  const queue = await admin.register(["message"]);
  // One server holds many organizations, and the host name tells which is meant.
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
