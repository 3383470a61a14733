import { expect, test } from "vitest";
import { hasProxy, readProxyUrl, resignProxyUrls, signedProxyUrl } from "./proxy-url.ts";

const server = { secret: "a secret that is long enough to be one", secondSecret: "" };
const url = "https://example.org/ä/a.png?b=c&d=%20";

test("a signed URL leads back to the original one", () => {
  const address = signedProxyUrl(server, url);

  expect(address).toMatch(/^\/external_content\/[0-9a-f]{64}\/[0-9a-f]+$/);
  expect(readProxyUrl(server, address)).toBe(url);
});

test("a URL without our signature leads nowhere", () => {
  const address = signedProxyUrl(server, url);
  const other = signedProxyUrl(server, "https://example.org/b.png");
  const [, , signature] = address.split("/");
  const [, , , hex] = other.split("/");

  expect(readProxyUrl(server, `/external_content/${signature}/${hex}`)).toBeUndefined();
  expect(readProxyUrl({ secret: "another secret, also long enough", secondSecret: "" }, address)).toBeUndefined();
  for (const path of ["/external_content/", `${address}0`, `${address}?a`, address.toUpperCase(), "/", ""])
    expect(readProxyUrl(server, path)).toBeUndefined();
});

test("without a secret there is no proxy, and no signature is accepted", () => {
  const none = { secret: "", secondSecret: "" };

  expect(hasProxy(none)).toBe(false);
  expect(readProxyUrl(none, signedProxyUrl(none, url))).toBeUndefined();
});

test("while the secret is replaced both signatures are accepted, and old ones can be renewed", () => {
  const both = { secret: "the next secret, which is long enough", secondSecret: server.secret };
  const after = { ...both, secondSecret: "" };
  const old = signedProxyUrl(server, url);

  const renewed = resignProxyUrls(both, `<img src="${old}"> and /external_content/ of others`);

  expect(readProxyUrl(both, old)).toBe(url);
  expect(readProxyUrl(after, old)).toBeUndefined();
  expect(renewed).toBe(`<img src="${signedProxyUrl(after, url)}"> and /external_content/ of others`);
  expect(resignProxyUrls(both, renewed)).toBe(renewed);
});
