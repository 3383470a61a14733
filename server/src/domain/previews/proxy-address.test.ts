import { expect, test } from "vitest";
import { hasProxy, proxyAddress, readProxyAddress } from "./proxy-address.ts";

const server = { secret: "a secret that is long enough to be one" };
const url = "https://example.org/ä/a.png?b=c&d=%20";

test("an address of ours leads back to the one it stands for", () => {
  const address = proxyAddress(server, url);

  expect(address).toMatch(/^\/external_content\/[0-9a-f]{64}\/[0-9a-f]+$/);
  expect(readProxyAddress(server, address)).toBe(url);
});

test("an address nobody made here leads nowhere", () => {
  const address = proxyAddress(server, url);
  const other = proxyAddress(server, "https://example.org/b.png");
  const [, , signature] = address.split("/");
  const [, , , hex] = other.split("/");

  expect(readProxyAddress(server, `/external_content/${signature}/${hex}`)).toBeUndefined();
  expect(readProxyAddress({ secret: "another secret, also long enough" }, address)).toBeUndefined();
  for (const path of ["/external_content/", `${address}0`, `${address}?a`, address.toUpperCase(), "/", ""])
    expect(readProxyAddress(server, path)).toBeUndefined();
});

test("without a secret there is no proxy, and no address is believed", () => {
  const none = { secret: "" };

  expect(hasProxy(none)).toBe(false);
  expect(readProxyAddress(none, proxyAddress(none, url))).toBeUndefined();
});
