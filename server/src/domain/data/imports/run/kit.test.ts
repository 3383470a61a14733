/**
 * Imports the samples of the kit beside the project, twice, and lets the kit's own program ask the server what has become of
 * them. `npm run test:imports` does it with all samples.
 */
import { execFile } from "node:child_process";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hasImportKit, kitFolder, makeSamples } from "../../../../../test/import-kit.ts";
import { newRealm, type TestRealm } from "../../../../../test/realm.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import { createApiKey } from "../../../people/auth/api-keys.ts";
import { openSource } from "../open.ts";
import { runImport } from "./run.ts";

const isComplete = process.env["IMPORT_SAMPLES"] === "all";

const samples: Record<string, string> = {
  "slack-with-files": "slack-with-files.zip",
  zulip: "zulip.tar.gz",
  ...(isComplete
    ? {
        mattermost: "mattermost.zip",
        slack: "slack.zip",
        rocketchat: "rocketchat",
        "hostile-broken-day": "hostile/broken-day.zip",
        "hostile-bad-timestamp": "hostile/bad-timestamp.zip",
        "hostile-odd": "hostile/odd.zip",
      }
    : {}),
};

test.skipIf(!hasImportKit).for(Object.entries(samples))(
  "everything of %s is where it belongs",
  async ([sample, file]) => {
    const realm = await newRealm();
    const folder = await mkdtemp(join(tmpdir(), "skein-kit-"));
    const path = join(makeSamples(), file);
    const reports = [];
    for (const name of ["report", "again"]) {
      const report = await runImport(realm.ctx, {
        realmId: realm.id,
        open: (noteSkipped) => openSource(path, { noteSkipped }),
        fingerprint: name,
      });
      const written = join(folder, `${name}.jsonl`);
      await writeFile(written, `${JSON.stringify(report)}\n`);
      reports.push(written);
    }
    const keys = join(folder, "keys.json");
    await writeFile(keys, JSON.stringify(await makeKeys(realm)));

    const found = await check([sample], {
      SITE: await addressOf(realm),
      OWNER_EMAIL: realm.admin.email,
      OWNER_API_KEY: realm.admin.apiKey,
      KEYS: keys,
      REPORT: reports[0],
      REPORT_AGAIN: reports[1],
    });

    expect(found).toEqual(allFine);
  },
);

test.skipIf(!hasImportKit || !isComplete)(
  "what is no export, or an attack, is refused by the command line",
  { timeout: 600_000 },
  async () => {
    const realm = await newRealm();
    const { config } = realm.ctx;

    const found = await check(["hostile-refused", makeSamples()], {
      SITE: await addressOf(realm),
      OWNER_EMAIL: realm.admin.email,
      OWNER_API_KEY: realm.admin.apiKey,
      REALM: realm.host.split(".")[0],
      SKEIN: `${process.execPath} ${join(import.meta.dirname, "../../../../../bin/skein.js")}`,
      SKEIN_DATABASE_URL: config.databaseUrl,
      SKEIN_NATS_URL: config.natsUrl,
      SKEIN_LOG_NAME: config.logName,
      SKEIN_FILES_DIR: config.filesDir,
      SKEIN_SECRET: config.secret,
    });

    expect(found).toEqual(allFine);
  },
);

/** API keys of all active people, by address. */
async function makeKeys(realm: TestRealm): Promise<Record<string, string>> {
  const { db } = realm.ctx;
  const people = await db
    .selectFrom("users")
    .select(["id", "delivery_email"])
    .where("realm_id", "=", realm.id)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .execute();
  const keys: Record<string, string> = {};
  for (const { id, delivery_email } of people)
    keys[delivery_email.toLowerCase()] = await transaction(db, "make a key", (tx) =>
      createApiKey(tx, { id, realm_id: realm.id }, "test"),
    );
  return keys;
}

/**
 * A proxy in front of a node that asks for this organization. Unread messages come only with the event type of flags, which
 * the kit does not ask for: the proxy does.
 */
async function addressOf(realm: TestRealm): Promise<string> {
  const [node] = realm.nodes;
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const isRegistration = incoming.url?.endsWith("/register") === true;
    const body = isRegistration ? Buffer.from(withFlags(await text(incoming))) : undefined;
    const headers = {
      ...incoming.headers,
      "x-forwarded-host": realm.host,
      ...(body ? { "content-length": String(body.length) } : {}),
    };
    const passed = request(`${node?.url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    if (body) passed.end(body);
    else incoming.pipe(passed);
  };
  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  // The kit waits for commands that take a while, and then uses its connection again.
  proxy.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // it listens on a port
}

function withFlags(form: string): string {
  const parameters = new URLSearchParams(form);
  const types = JSON.parse(parameters.get("fetch_event_types") ?? "[]") as string[]; // as the kit writes it
  parameters.set("fetch_event_types", JSON.stringify([...types, "update_message_flags"]));
  return parameters.toString();
}

interface Found {
  failed: string[];
  summary: string;
}

const allFine: Found = { failed: [], summary: expect.stringMatching(/^(\d+) of \1 checks passed$/) as string };

const check = (args: readonly string[], environment: Record<string, string | undefined>): Promise<Found> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    execFile(
      process.execPath,
      [join(kitFolder, "check-import.mjs"), ...args],
      { env, maxBuffer: 1e8 },
      (_, out, err) => {
        const lines = out.trim().split("\n");
        const failed = lines.filter((line) => line.startsWith("FAIL"));
        const summary = lines.at(-1) ?? "";
        if (isComplete) process.stdout.write(`${args[0]}: ${summary}\n`);
        resolve({ failed: [...failed, ...err.split("\n").filter((line) => line !== "")], summary });
      },
    );
  });
