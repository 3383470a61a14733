/** Files that an export of Slack links to, fetched from a server that stands for Slack's. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { newRealm, type TestRealm } from "../../../../../test/realm.ts";
import { writeZip } from "../../../../../test/tiny-archives.ts";
import { Outbound } from "../../../../platform/outbound.ts";
import { readAllowedHosts } from "../../../../platform/outbound-addresses.ts";
import { uploadKey } from "../../../messages/uploads/file-name.ts";
import { openSource } from "../open.ts";
import { FileFetcher } from "./fetch-file.ts";
import { runImport, type ImportOptions } from "./run.ts";

const token = "xoxe-a-secret-of-the-export";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Returns its origin, and the paths that were asked for. */
async function startSlack(answers: Record<string, Answer>): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://slack");
    asked.push(pathname);
    const name = pathname.split("/").at(-1) ?? "";
    if (searchParams.get("t") === token || pathname.startsWith("/moved/")) answers[name]?.(response, request);
    else response.writeHead(401).end();
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }; // it listens on a port
}

const bytes =
  (text: string, type = "text/plain"): Answer =>
  (response) =>
    response.writeHead(200, { "content-type": type }).end(text);

const redirect =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end();

const signInPage = bytes("<html>Sign in to your workspace</html>", "text/html; charset=utf-8");

/** An export with a message for each file. */
const exportOf = (origin: string, files: Record<string, object>): string =>
  writeZip([
    ["users.json", JSON.stringify([{ id: "U1", name: "ines", profile: { real_name: "Ines", email: "i@x.example" } }])],
    ["channels.json", JSON.stringify([{ id: "C1", name: "harbour", members: ["U1"] }])],
    [
      "harbour/2024-05-22.json",
      JSON.stringify(
        Object.entries(files).map(([name, more], n) => ({
          type: "message",
          user: "U1",
          text: `This is ${name}`,
          ts: `17163864${String(n).padStart(2, "0")}.000100`,
          files: [
            {
              id: `F${n}`,
              name,
              mimetype: "text/plain",
              mode: "hosted",
              permalink: `https://harbour.slack.com/files/U1/F${n}/${name}?t=${token}`,
              url_private: `${origin}/files-pri/T1-F${n}/${name}?t=${token}`,
              ...more,
            },
          ],
        })),
      ),
    ],
  ]);

const fetcherFor = (origin: string): FileFetcher =>
  new FileFetcher({
    outbound: new Outbound(readAllowedHosts(["127.0.0.1"])),
    origin,
    timeoutMs: 1000,
    pauseMs: 1,
  });

function importFrom(realm: TestRealm, path: string, fetcher: FileFetcher, options: Partial<ImportOptions> = {}) {
  const config = { ...realm.ctx.config, maxUploadMebibytes: 1 };
  return runImport(
    { ...realm.ctx, config },
    {
      realmId: realm.id,
      open: (noteSkipped) => openSource(path, { noteSkipped, canFetch: fetcher.canFetch }),
      fingerprint: "the export",
      fetcher,
      ...options,
    },
  );
}

/** Texts by the name of the file. */
async function textsOf(realm: TestRealm): Promise<Record<string, string>> {
  const { rows } = await sql<{ content: string }>`
    select content from messages where realm_id = ${realm.id} order by id`.execute(realm.ctx.db);
  return Object.fromEntries(rows.map(({ content }) => [/This is (\S+)/.exec(content)?.[1] ?? content, content]));
}

async function storedFiles({ ctx, id }: TestRealm): Promise<Record<string, string>> {
  const rows = await ctx.db
    .selectFrom("attachments")
    .select(["file_name", "path_id"])
    .where("realm_id", "=", id)
    .orderBy("id")
    .execute();
  const contents = rows.map(async ({ file_name, path_id }) => [
    file_name,
    (await ctx.files.get(uploadKey(path_id)))?.bytes.toString() ?? "missing",
  ]);
  return Object.fromEntries(await Promise.all(contents)) as Record<string, string>; // of pairs
}

test("files are fetched; of the others messages keep the link without the token, and the report says why", async () => {
  let failures = 0;
  const { origin, asked } = await startSlack({
    "plain.txt": bytes("a lamp"),
    "page.html": (response) =>
      response.writeHead(200, { "content-type": "text/html", "content-length": "6" }).end("<p></p".slice(0, 6)),
    "again.txt": (response, request) =>
      ++failures < 3 ? response.writeHead(failures === 1 ? 429 : 500).end() : bytes("at last")(response, request),
    "moved.txt": redirect("/moved/new.txt"),
    "new.txt": bytes("moved here"),
    "private.txt": (response, request) =>
      redirect(`http://127.0.0.2:${request.socket.localPort}/moved/inside.txt`)(response, request),
    "inside.txt": bytes("something of the internal network"),
    "expired.txt": signInPage,
    "gone.txt": (response) => response.writeHead(404).end(),
    "endless.bin": (response) => {
      response.writeHead(200);
      for (let n = 0; n < 40; n++) response.write(Buffer.alloc(64 * 1024));
    },
    "slow.txt": (response) => void response.writeHead(200).write("slowly"),
  });
  const realm = await newRealm();
  const path = exportOf(origin, {
    "plain.txt": {},
    "page.html": { mimetype: "text/html", size: 6 },
    "again.txt": {},
    "moved.txt": {},
    "private.txt": {},
    "expired.txt": {},
    "gone.txt": {},
    "endless.bin": {},
    "huge.bin": { size: 2 * 1024 ** 2 },
    "slow.txt": {},
    "elsewhere.txt": { url_private: `https://elsewhere.example/elsewhere.txt?t=${token}` },
  });
  const staged: string[] = [];
  const noteStaged = async () => {
    const { rows } = await sql<{ data: string }>`
      select data from import_messages where realm_id = ${realm.id}`.execute(realm.ctx.db);
    staged.push(...rows.map(({ data }) => data));
  };
  const noted: Promise<void>[] = [];

  const report = await importFrom(realm, path, fetcherFor(origin), { onProgress: () => void noted.push(noteStaged()) });
  await Promise.all(noted);

  expect(await storedFiles(realm)).toEqual({
    "plain.txt": "a lamp",
    "page.html": "<p></p",
    "again.txt": "at last",
    "moved.txt": "moved here",
  });
  expect(report.imported.files).toBe(4);
  expect(report.skipped).toEqual({
    file_not_in_archive: 1,
    file_link_expired: 3,
    file_too_large: 2,
    file_unreachable: 1,
  });
  const texts = await textsOf(realm);
  expect(texts["plain.txt"]).toMatch(/\[plain\.txt\]\(\/user_uploads\/.+\)$/);
  for (const [n, name] of ["private.txt", "expired.txt", "gone.txt", "endless.bin", "huge.bin", "slow.txt"].entries())
    expect(texts[name]).toContain(`[${name}](https://harbour.slack.com/files/U1/F${n + 4}/${name})`);
  expect(asked.filter((path_) => path_.endsWith("inside.txt") || path_.endsWith("huge.bin"))).toEqual([]);
  expect(staged.length).toBeGreaterThan(0);
  const { rows: mapped } = await sql`select * from import_map where realm_id = ${realm.id}`.execute(realm.ctx.db);
  expect(JSON.stringify([report, texts, staged, mapped])).not.toContain(token);
});

test("a run that continues does not fetch again what it has stored, and a second run fetches nothing", async () => {
  const names = Array.from({ length: 10 }, (_, n) => `file-${n}.txt`);
  const { origin, asked } = await startSlack(Object.fromEntries(names.map((name) => [name, bytes(`It is ${name}`)])));
  const realm = await newRealm();
  const path = exportOf(origin, Object.fromEntries(names.map((name) => [name, {}])));
  const timesAsked = () => names.map((name) => asked.filter((path_) => path_.endsWith(name)).length);
  let [isAtFiles, stored] = [false, 0];

  const killed = importFrom(realm, path, fetcherFor(origin), {
    onProgress: ({ phase }) => void (isAtFiles = phase === "files"),
    onBatch: () => {
      if (isAtFiles && ++stored === 6) throw new Error("killed");
    },
  });
  await expect(killed).rejects.toThrow("killed");
  const report = await importFrom(realm, path, fetcherFor(origin));
  const times = timesAsked();
  const again = await importFrom(realm, path, fetcherFor(origin), { fingerprint: "again" });

  expect(times.slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
  expect(Math.max(...times)).toBe(2);
  expect(report.imported.files).toBe(10);
  expect(Object.keys(await storedFiles(realm)).toSorted()).toEqual(names);
  expect(again.imported.files).toBe(0);
  expect(timesAsked()).toEqual(times);
});

test("a file that was not fetched is tried again by the next run, for a message that still links to it", async () => {
  let isThere = false;
  const later: Answer = (response, request) =>
    isThere ? bytes("at last")(response, request) : response.writeHead(404).end();
  const names = ["later.txt", "edited.txt", "deleted.txt"];
  const { origin, asked } = await startSlack(Object.fromEntries(names.map((name) => [name, later])));
  const realm = await newRealm();
  const path = exportOf(origin, Object.fromEntries(names.map((name) => [name, {}])));
  await importFrom(realm, path, fetcherFor(origin));
  const { db } = realm.ctx;
  await sql`
    update messages set content = 'This is edited.txt no more' where realm_id = ${realm.id} and content like '%edited.txt%'`.execute(
    db,
  );
  await sql`delete from messages where realm_id = ${realm.id} and content like '%deleted.txt%'`.execute(db);
  [isThere, asked.length] = [true, 0];

  const report = await importFrom(realm, path, fetcherFor(origin), { fingerprint: "again" });
  await importFrom(realm, path, fetcherFor(origin), { fingerprint: "once more" });

  expect(asked.map((path_) => path_.split("/").at(-1))).toEqual(["later.txt"]);
  expect(report.imported.files).toBe(1);
  expect(await storedFiles(realm)).toEqual({ "later.txt": "at last" });
  const { rows } = await sql<{ content: string; html: string; files: number }>`
    select content, rendered_content as html,
      (select count(*) from attachment_messages where message_id = m.id) as files
    from messages m where realm_id = ${realm.id} and content like 'This is%' order by id`.execute(db);
  expect(rows).toEqual([
    {
      content: expect.stringMatching(/\[later\.txt\]\(\/user_uploads\/.+\)$/) as string,
      html: expect.stringMatching(/<a href="\/user_uploads\/[^"]+">later\.txt<\/a>/) as string,
      files: 1,
    },
    expect.objectContaining({ content: "This is edited.txt no more", files: 0 }),
  ]);
});

test("with an expired token not every file is tried", async () => {
  const names = Array.from({ length: 60 }, (_, n) => `file-${n}.txt`);
  const { origin, asked } = await startSlack(Object.fromEntries(names.map((name) => [name, signInPage])));
  const realm = await newRealm();

  const report = await importFrom(
    realm,
    exportOf(origin, Object.fromEntries(names.map((name) => [name, {}]))),
    fetcherFor(origin),
  );

  expect(report.skipped).toEqual({ file_link_expired: 60 });
  expect(asked.length).toBeLessThan(30);
});
