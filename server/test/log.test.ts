import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createBot } from "@skein/api/bots.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import { getLinkifiers } from "@skein/api/linkifiers.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { z } from "zod";
import { startOwnServer } from "./own-server.ts";
import { newRealm, success } from "./realm.ts";
import { startProcess } from "./server-process.ts";
import { deliverMail } from "../src/domain/base/mail/jobs.ts";
import { enqueue } from "../src/jobs/job.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import { logFields, logLine } from "../src/platform/log-fields.ts";

const root = join(import.meta.dirname, "../..");
const readPage = () => readFile(join(root, "docs/operating/monitoring.md"), "utf8");

test("every line of a session is as documented, and none holds a secret", async () => {
  const server = await startOwnServer();
  const secret = "a secret of this process, long enough to be one";
  const node = await startProcess(server, {
    environment: {
      SKEIN_ROLES: "api,relay,worker",
      SKEIN_LOG_LEVEL: "debug",
      SKEIN_SECRET: secret,
      SKEIN_SMTP_URL: "",
    },
  });
  const realm = await newRealm([{ ...server, url: node.url }]);
  const [password, wrongKey] = ["Basalt-7f3a-tide", "0123456789abcdef0123456789abcdef01234567"];
  const bot = { full_name: "Hook", short_name: "hook", bot_type: 2 };
  const { api_key } = success(await realm.admin.call(createBot, bot));
  const mail = {
    id: "m1",
    realm_id: realm.id,
    to: "a@example.com",
    subject: "s",
    text: "/join/secret-link",
    html: "<p></p>",
  };

  await realm.client({ ...server, url: node.url }).call(fetchApiKey, { username: realm.admin.email, password });
  await fetch(`${node.url}/api/v1/external/github?api_key=${api_key}`, {
    method: "POST",
    headers: { "x-forwarded-host": realm.host, "content-type": "application/json", "x-github-event": "unheard_of" },
    body: "{}",
  });
  await transaction(server.ctx.db, "test", (tx) => enqueue(tx, deliverMail, mail));
  for (const table of ["realm_linkifiers", "invitation_links"])
    await sql`alter table ${sql.id(table)} rename to ${sql.id(`${table}_gone`)}`.execute(server.ctx.db);
  await realm.admin.call(getLinkifiers, {});
  await fetch(`${node.url}/join/${wrongKey}`, { headers: { "x-forwarded-host": realm.host } });
  await expect.poll(() => node.log()).toContain("no SMTP server is configured");
  await expect.poll(() => node.log()).toContain('"path":"/join/{key}"');
  await expect.poll(() => node.log()).toContain("unknown delivery");
  node.child.kill("SIGTERM");
  expect(await node.ended).toBe(0);

  const lines = node
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  const wrong = lines.flatMap((line) => {
    const { error } = logLine.safeParse(JSON.parse(line));
    return error ? [`${line}\n${z.prettifyError(error)}`] : [];
  });
  expect(wrong).toEqual([]);
  const messages = new Set(lines.map((line) => (JSON.parse(line) as { msg: string }).msg));
  for (const message of ["started", "request failed", "stopping", "stopped"]) expect(messages).toContain(message);
  for (const each of [secret, password, wrongKey, api_key, realm.admin.apiKey, "secret-link"])
    expect(node.log()).not.toContain(each);
});

test("the documentation lists all fields and all messages", async () => {
  const page = await readPage();
  const log = page.slice(page.indexOf("\n## Log\n"));
  const { stdout } = await promisify(execFile)("git", ["ls-files", "server/src/*.ts"], { cwd: root });
  const sources = stdout
    .trim()
    .split("\n")
    .filter((path) => !/\.test\.ts$|\/cli\//.test(path));

  const documented = [...log.matchAll(/^\| `(\w+)` \| .+? \| (.+) \|$/gm)].map(([, name, meaning]) => [name, meaning]);
  expect(documented.slice(4)).toEqual(Object.entries(logFields).map(([name, field]) => [name, field.description]));
  const rows = [...log.matchAll(/^\| (?:debug|info|warn|error)[\w, ]* \| (.+?) \| .*\|$/gm)].map(
    ([, text = ""]) => text,
  );
  const starts = rows.map((row) => row.split("…", 1)[0] ?? "");
  const missing: string[] = [];
  for (const path of sources) {
    const source = await readFile(join(root, path), "utf8");
    for (const message of messagesIn(source))
      if (!starts.some((start) => start !== "" && message.startsWith(start.trim())))
        missing.push(`${path}: ${message}`);
  }
  expect(missing).toEqual([]);
  expect(rows.length).toBeGreaterThan(50);
});

/** The messages in calls of a logger, each up to the first part that varies. */
function messagesIn(source: string): string[] {
  return [...source.matchAll(/logger(?:\.\w+|\[[^\]]+\])\(/g)].flatMap(({ index, 0: { length } }) =>
    literalsOf(source.slice(index + length)),
  );
}

/** The texts among a call's own arguments, without those inside objects and continued ones; `call` begins after "(". */
function literalsOf(call: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let isContinued = false;
  for (const [token] of call.matchAll(/"(?:[^"\\]|\\.)*"|`[^`]*`|[(){}[\]]|\+/g)) {
    if ("([{".includes(token)) depth++;
    else if (")]}".includes(token)) {
      if (depth-- === 0) break;
    } else if (token === "+") isContinued = true;
    else {
      const text = token.slice(1, -1).split("${", 1)[0] ?? "";
      if (
        (depth === 0 && text !== "" && !isContinued && /^[a-zA-Z]/.test(text) && text.includes(" ")) ||
        text === "started"
      )
        found.push(text);
      isContinued = false;
    }
  }
  return found;
}
