import { mkdir, mkdtemp, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { beforeAll, expect, inject, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestRealm } from "../../test/realm.ts";
import { TestBrowser, withPassword } from "../../test/test-browser.ts";

const html = "<!doctype html><title>Skein</title>";
const script = "start()".repeat(100);
const asset = "/assets/main-a1b2c3d4.js";

/** A build's output, with fixed file times, as when unpacked from an archive without times. */
async function build(): Promise<string> {
  const dist = await mkdtemp(join(inject("scratchFolder"), "web-"));
  await mkdir(join(dist, "assets"));
  const files = {
    "index.html": html,
    "icon.svg": "<svg/>",
    "secret.txt": "not for everybody",
    "assets/main-a1b2c3d4.js": script,
    "assets/main-a1b2c3d4.js.gz": gzipSync(script),
    "assets/main-a1b2c3d4.js.br": brotliCompressSync(script),
    "assets/style-a1b2c3d4.css": "a {}",
    "assets/.hidden-a1b2c3d4.js": "not for everybody",
  };
  for (const [name, content] of Object.entries(files)) await write(join(dist, name), content);
  return dist;
}

async function write(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content);
  await utimes(file, 0, 0);
}

let dist: string;
let realm: TestRealm;
let url: string;
beforeAll(async () => {
  dist = await build();
  const node = await startNode({ environment: { SKEIN_WEB_DIR: dist } });
  realm = await newRealm([node]);
  url = node.url ?? "";
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { "accept-encoding": "identity", ...headers } });

async function signedIn(): Promise<TestBrowser> {
  const browser = new TestBrowser(realm);
  await browser.signIn(await withPassword(realm, "hamlet"));
  return browser;
}

test("a visitor who is not signed in is redirected to the login page", async () => {
  const page = await new TestBrowser(await newRealm()).open("/");

  expect(page).toMatchObject({ status: 302, location: "/login/?next=%2F" });
});

test("a signed-in user gets the client, whose policy allows only scripts from this server", async () => {
  const answer = await (await signedIn()).ask("/");

  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await answer.text()).toBe(html);
  expect(answer.headers.get("cache-control")).toBe("no-cache");
  const policy = answer.headers.get("content-security-policy")?.split("; ");
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data: blob:",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
});

test("the client is sent again only when its content has changed, even if size and time have not", async () => {
  const browser = await signedIn();
  const etag = (await browser.ask("/")).headers.get("etag") ?? "";
  const again = (known: string) => browser.ask("/", { headers: { "if-none-match": known } });

  const unchanged = await again(etag);
  await write(join(dist, "index.html"), html.replace("Skein", "Twine"));
  const changed = await again(etag);
  await write(join(dist, "index.html"), html);

  expect(unchanged.status).toBe(304);
  expect(await unchanged.text()).toBe("");
  expect(changed.status).toBe(200);
  expect(await changed.text()).toContain("Twine");
  expect((await again(changed.headers.get("etag") ?? "")).status).toBe(200);
});

test("files with a content hash are cached forever, and sent in the smallest encoding the browser accepts", async () => {
  const plain = await get(asset);

  expect(await plain.text()).toBe(script);
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    etag: expect.any(String),
  });
  for (const [accepted, encoding] of [
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
  ] as const) {
    const small = await get(asset, { "accept-encoding": accepted });
    expect(small.headers.get("content-encoding")).toBe(encoding);
    expect(small.headers.get("vary")).toMatch(/accept-encoding/i);
    expect(small.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await small.text()).toBe(script);
  }
  const bare = await get("/assets/style-a1b2c3d4.css", { "accept-encoding": "gzip, br" });
  expect(bare.headers.get("content-encoding")).toBeNull();
  expect(await bare.text()).toBe("a {}");
  // Node's fetch would send Cache-Control: no-cache.
  const ask = { "if-none-match": plain.headers.get("etag") ?? "", "cache-control": "max-age=0" };
  const known = await get(asset, ask);
  expect(known.status).toBe(304);
});

test("the icon is cached for a day", async () => {
  const icon = await get("/icon.svg");

  expect(icon.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
  expect(icon.headers.get("cache-control")).toBe("public, max-age=86400");
  expect(await icon.text()).toBe("<svg/>");
});

test.each([
  "..%2Fsecret.txt",
  "%2e%2e%2fsecret.txt",
  "..%2F..%2F..%2Fpackage.json",
  "%2Fetc%2Fpasswd",
  "gone-a1b2c3d4.js",
  "",
  ".hidden-a1b2c3d4.js",
  "main-a1b2c3d4.js%00.css",
  "main-a1b2c3d4.js/",
  "deep/main-a1b2c3d4.js",
])("only files of the build are served: %s", async (file) => {
  expect((await get(`/assets/${file}`)).status).toBe(404);
});

test("a server without a built client explains how to build it", async () => {
  const environment = { SKEIN_WEB_DIR: join(inject("scratchFolder"), "nowhere") };
  const bare = await newRealm([await startNode({ environment })]);
  const browser = new TestBrowser(bare);
  await browser.signIn(await withPassword(bare, "hamlet"));

  const answer = await browser.open("/");

  expect(answer.status).toBe(503);
  expect(answer.html).toContain("npm run build:web");
});
