import { hash } from "node:crypto";
import { sendMessage, getMessage } from "@skein/api/messages.ts";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { WebServer } from "../../../../test/web-server.ts";
import { signedProxyUrl } from "./proxy-url.ts";
import { trimFetched } from "./trim.ts";

let web: WebServer;
beforeAll(async () => {
  web = await WebServer.start();
});

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 0, g: 0, b: 255 } } })
    .png()
    .toBuffer();

const write = async (realm: TestRealm, content: string): Promise<string> => {
  const { id } = success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content }));
  return success(await realm.admin.call(getMessage, { message_id: id })).message.content;
};

const get = (realm: TestRealm, address: string, node = 0): Promise<Response> =>
  fetch((realm.nodes[node]?.url ?? "") + address);

const addressOf = (realm: TestRealm, url: string): string => signedProxyUrl(realm.ctx.config, url);

test("an image of another server is shown under a URL of ours, resized and only as an image", async () => {
  const realm = await newRealm();
  const url = web.serve("/large.png", "image/png", await picture(4000, 1000));

  const html = await write(realm, url);
  const address = /src="([^"]+)"/.exec(html)?.[1] ?? "";
  const response = await get(realm, address);

  expect(html).toBe(`<div class="message_inline_image"><a href="${url}"><img src="${address}"></a></div>`);
  expect(address).toBe(addressOf(realm, url));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("image/webp");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
  const shown = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  expect(shown).toMatchObject({ format: "webp", width: 1680, height: 420 });
});

test("an image is fetched once, however many readers request it, on any node", async () => {
  const realm = await newRealm();
  const url = web.serve("/popular.png", "image/png", await picture(10, 10));
  const address = addressOf(realm, url);

  const together = await Promise.all(Array.from({ length: 5 }, () => get(realm, address)));
  const later = await get(realm, address, 1);

  expect([...together, later].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(web.timesAsked("/popular.png")).toBe(1);
});

test("an organization without previews shows only links", async () => {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ inline_image_preview: false }).where("id", "=", realm.id).execute();

  expect(await write(realm, "https://example.org/a.png")).toBe(
    '<p><a href="https://example.org/a.png">https://example.org/a.png</a></p>',
  );
});

test("a URL this server did not sign fetches nothing", async () => {
  const realm = await newRealm();
  const url = web.serve("/unsigned.png", "image/png", await picture(10, 10));
  const hex = Buffer.from(url).toString("hex");

  for (const path of [`${"0".repeat(64)}/${hex}`, hex, "", `/${hex}`, encodeURIComponent(url)])
    expect((await get(realm, `/external_content/${path}`)).status).toBe(404);
  expect(web.timesAsked("/unsigned.png")).toBe(0);
});

test.each([
  ["a web page", "text/html", "<script>alert(1)</script>"],
  ["a page that claims to be a picture", "image/png", "<script>alert(1)</script>"],
  ["a vector graphic", "image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ["a broken picture", "image/png", Buffer.from("89504e470d0a1a0a0000000d", "hex")],
  ["more than there is room for", "image/png", Buffer.alloc(10 * 1024 ** 2 + 1)],
])("%s is not served, and not requested again for a while", async (name, type, content) => {
  const realm = await newRealm();
  const path = `/${name.replaceAll(" ", "-")}`;
  const address = addressOf(realm, web.serve(path, type, content));

  const [first, second] = [await get(realm, address), await get(realm, address, 1)];

  for (const response of [first, second]) {
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).toBe("");
  }
  expect(web.timesAsked(path)).toBe(1);
});

test("addresses inside the operator's own network cannot be reached, not even through a redirect", async () => {
  const realm = await newRealm();
  const detour = web.serve("/detour.png", "text/plain", (response) =>
    response.writeHead(302, { location: "http://127.0.0.2:1/a.png" }).end(),
  );

  for (const url of [detour, "http://127.0.0.2:1/a.png", "http://169.254.169.254/a.png", "file:///etc/passwd"])
    expect((await get(realm, addressOf(realm, url))).status).toBe(404);
});

const hashOf = (url: string): Buffer => hash("sha256", url, "buffer");

test("expired images are removed with their files, and so are the oldest ones when the cache is full", async () => {
  const realm = await newRealm();
  const { ctx } = realm;
  const size = async (url: string) => Number((await get(realm, addressOf(realm, url))).headers.get("content-length"));
  const urls: string[] = [];
  for (const name of ["/trim-1.png", "/trim-2.png", "/trim-3.png"])
    urls.push(web.serve(name, "image/png", await picture(10, 10)));
  const sizes: number[] = [];
  for (const url of urls) sizes.push(await size(url));
  await ctx.db
    .updateTable("fetched_images")
    .set({ fetched_at: new Date(Date.now() + 3_600_000) })
    .where("url_hash", "=", hashOf(urls[2] ?? ""))
    .execute();

  expect(await trimFetched(ctx, sizes[2] ?? 0)).toBe(true);
  for (const url of urls) await size(url);

  expect(urls.map((url) => web.timesAsked(new URL(url).pathname))).toEqual([2, 2, 1]);
});
