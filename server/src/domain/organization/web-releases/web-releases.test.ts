import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, inject, test } from "vitest";
import { startNode } from "../../../../test/nodes.ts";
import { startOwnServer } from "../../../../test/own-server.ts";
import { expire } from "./expire.ts";

/** A folder as a build leaves it. The names are this test's own: tests share a file store. */
async function build(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(inject("scratchFolder"), "release-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html>");
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, "assets", name), content);
  return folder;
}

const hash = (): string => randomBytes(4).toString("hex");

async function get(url: string, name: string, encoding = "identity") {
  const response = await fetch(`${url}/assets/${name}`, { headers: { "accept-encoding": encoding } });
  const { status, headers } = response;
  return {
    status,
    type: headers.get("content-type"),
    cache: headers.get("cache-control"),
    encoding: headers.get("content-encoding"),
    text: status === 200 && headers.get("content-encoding") === null ? await response.text() : undefined,
  };
}

test("each of two releases side by side serves the files of both, and later those of a release that is gone", async () => {
  const [shared, older, newer] = [`shared-${hash()}.css`, `main-${hash()}.js`, `main-${hash()}.js`];
  const builds = [
    await build({ [shared]: "a {}", [older]: "older()" }),
    await build({ [shared]: "a {}", [newer]: "newer()", [`${newer}.gz`]: "packed" }),
  ] as const;
  const first = await startOwnServer({ SKEIN_WEB_DIR: builds[0] });
  const { databaseUrl: SKEIN_DATABASE_URL, logName: SKEIN_LOG_NAME } = first.ctx.config;
  const beside = { SKEIN_DATABASE_URL, SKEIN_LOG_NAME, SKEIN_ROLES: "api" };
  // Requested before the other release exists: this 404 must not be cached for good.
  expect(await get(first.url, newer)).toMatchObject({ status: 404 });
  const second = await startNode({ environment: { ...beside, SKEIN_WEB_DIR: builds[1] } });

  for (const { url } of [first, second]) {
    for (const [name, text] of [
      [older, "older()"],
      [newer, "newer()"],
    ] as const)
      expect(await get(url, name)).toEqual({
        status: 200,
        type: "text/javascript; charset=utf-8",
        cache: "public, max-age=31536000, immutable",
        encoding: null,
        text,
      });
    expect(await get(url, shared)).toMatchObject({ status: 200, text: "a {}" });
    expect(await get(url, `main-${hash()}.js`)).toMatchObject({ status: 404 });
  }
  const packed = await fetch(`${first.url}/assets/${newer}`, { headers: { "accept-encoding": "gzip" } }).then(
    (response) => response.headers.get("content-encoding"),
    () => "gzip", // this test's file is not valid gzip
  );
  expect(packed).toBe("gzip");

  const { db } = first.ctx;
  const third = await startNode({ environment: { ...beside, SKEIN_WEB_DIR: builds[1] } });
  await expire(first.ctx);
  expect(await get(third.url, older)).toMatchObject({ status: 200 });
  await sql`update web_releases set seen_at = now() - interval '31 days' where ${older} = any(files)`.execute(db);
  await expire(first.ctx);
  const fourth = await startNode({ environment: { ...beside, SKEIN_WEB_DIR: builds[1] } });
  expect(await get(fourth.url, older)).toMatchObject({ status: 404 });
  expect(await get(fourth.url, shared)).toMatchObject({ status: 200 });
  expect(await first.ctx.files.get(`web-assets/${older}`)).toBeUndefined();
  expect(await first.ctx.files.get(`web-assets/${shared}`)).toBeDefined();
});

test("a node whose file store fails still starts and serves its own files", async () => {
  const own = `main-${hash()}.js`;
  const file = join(await mkdtemp(join(inject("scratchFolder"), "no-store-")), "file");
  await writeFile(file, "where the store has its folder");
  const { url } = await startOwnServer({ SKEIN_WEB_DIR: await build({ [own]: "own()" }), SKEIN_FILES_DIR: file });

  expect(await get(url, own)).toMatchObject({ status: 200, text: "own()" });
});
