import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { newRealm } from "../../test/realm.ts";
import { TestBrowser, withPassword } from "../../test/test-browser.ts";
import type { PageAnswer, PageRequest } from "./router.ts";
import { webClientPages } from "./web-client.ts";

/** A folder as a build leaves it. */
async function builtClient(): Promise<string> {
  const dist = await mkdtemp(join(inject("scratchFolder"), "web-"));
  await mkdir(join(dist, "assets"));
  await writeFile(join(dist, "index.html"), "<!doctype html><title>Skein</title>");
  await writeFile(join(dist, "assets", "main-abc.js"), "start()");
  await writeFile(join(dist, "assets", "main-abc.js.gz"), "start() in short");
  await writeFile(join(dist, "secret.txt"), "not for everybody");
  return dist;
}

/** What a page answers to a browser with these headers. */
async function ask(
  dist: string,
  path: string,
  params: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const realm = await newRealm();
  const user = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  await browser.signIn(user);
  const page = webClientPages(realm.ctx, dist).find((each) => each.path === path);
  const request: Partial<PageRequest> = {
    params,
    host: realm.host,
    browser: { cookies: `sessionid=${browser.cookies.get("sessionid")}`, isSecure: false },
    header: (name) => headers[name],
  };
  return page?.serve(request as PageRequest) as Promise<PageAnswer>; // all that these pages look at
}

const text = (body: PageAnswer["body"]): string => (Buffer.isBuffer(body) ? body.toString() : (body as string)); // no page here streams

test("whoever is not signed in is led to the log-in page", async () => {
  const page = await new TestBrowser(await newRealm()).open("/");

  expect(page).toMatchObject({ status: 302, location: "/login/?next=%2F" });
});

test("whoever is signed in gets the client, which may run nothing that did not come from here", async () => {
  const { status, type, headers, body } = await ask(await builtClient(), "/");

  expect({ status, type }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
  expect(text(body)).toContain("<title>Skein</title>");
  expect(headers?.["Cache-Control"]).toBe("no-cache");
  const policy = headers?.["Content-Security-Policy"]?.split("; ");
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
});

test("files named by their content are kept for good, and sent in the smallest form the browser takes", async () => {
  const dist = await builtClient();

  const plain = await ask(dist, "/assets/:file", { file: "main-abc.js" });
  const small = await ask(dist, "/assets/:file", { file: "main-abc.js" }, { "accept-encoding": "gzip, br" });

  expect(text(plain.body)).toBe("start()");
  expect(plain).toMatchObject({ type: "text/javascript; charset=utf-8" });
  expect(plain.headers).toMatchObject({ "Cache-Control": "public, max-age=31536000, immutable" });
  expect(text(small.body)).toBe("start() in short");
  expect(small.headers).toMatchObject({ "Content-Encoding": "gzip", Vary: "Accept-Encoding" });
});

test.each(["../secret.txt", "gone.js", "", "../../package.json", "/etc/passwd"])(
  "nothing but what was built can be asked for: %s",
  async (file) => {
    expect(await ask(await builtClient(), "/assets/:file", { file })).toMatchObject({ status: 404 });
  },
);

test("a server without a built client says so, and what to do", async () => {
  const page = await ask(join(inject("scratchFolder"), "nowhere"), "/");

  expect(page.status).toBe(503);
  expect(text(page.body)).toContain("npm run build:web");
});
