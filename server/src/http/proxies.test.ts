/** Which IP address a request is attributed to, with and without proxies. */
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { readTrustedProxies } from "../platform/trusted-proxies.ts";
import { networkOf } from "./rate-limit.ts";

test.each<[string, string, number, boolean]>([
  ["true", "203.0.113.7", 0, true],
  ["true", "203.0.113.7", 1, false],
  ["2", "203.0.113.7", 1, true],
  ["2", "203.0.113.7", 2, false],
  ["10.0.0.5, 10.8.0.0/16, fd00::/8", "10.8.3.4", 5, true],
  ["10.0.0.5, 10.8.0.0/16, fd00::/8", "::ffff:10.0.0.5", 0, true],
  ["10.0.0.5, 10.8.0.0/16, fd00::/8", "10.0.0.6", 0, false],
  ["10.0.0.5, 10.8.0.0/16, fd00::/8", "fd12::1", 0, true],
])("with the setting %s, a proxy at %s, %d hops away, is trusted: %s", (setting, address, hop, isTrusted) => {
  const trusted = readTrustedProxies(setting);
  expect(trusted && trusted(address, hop)).toBe(isTrusted);
});

test("without proxies no address is trusted, and an invalid setting is rejected with the allowed values", () => {
  expect(readTrustedProxies("false")).toBe(false);
  expect(readTrustedProxies("0")).toBe(false);
  for (const wrong of ["yes", "proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "-1", "11", "1.5"])
    expect(() => readTrustedProxies(wrong)).toThrow("must be");
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("rate limits treat %s as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

/** How many of these attempts to sign in are not rate-limited. */
async function letThrough(url: string, tries: number, forwardedFor: (n: number) => string): Promise<number> {
  let count = 0;
  for (let n = 0; n < tries; n++) {
    const headers = { "x-forwarded-for": forwardedFor(n), "x-forwarded-host": "nowhere.example.com" };
    const body = new URLSearchParams({ username: `s${n}@example.com`, password: "x" });
    const { status } = await fetch(`${url}/api/v1/fetch_api_key`, { method: "POST", headers, body });
    if (status !== 429) count++;
  }
  return count;
}

const limited = (proxies: string) =>
  startNode({
    environment: {
      SKEIN_RATE_LIMITS: "true",
      SKEIN_ADDRESS_REQUESTS_PER_MINUTE: "5",
      SKEIN_TRUST_PROXY: proxies,
    },
  });

test("a client cannot evade a limit by sending X-Forwarded-For itself", async () => {
  const { url } = await limited("true");

  expect(await letThrough(url, 8, (n) => `198.51.100.${n}, 203.0.113.7`)).toBe(5);
  expect(await letThrough(url, 8, (n) => `203.0.113.${10 + n}`)).toBe(8);
  expect(await letThrough(url, 8, (n) => `2001:db8:7:7::${n}`)).toBe(5);
});

test("with listed proxies, the last address that is not one of them is the client's", async () => {
  const { url } = await limited("127.0.0.1,::1,10.0.0.0/8");

  expect(await letThrough(url, 8, (n) => `198.51.100.${n}, 203.0.113.7, 10.0.0.${n}`)).toBe(5);
});

test("X-Forwarded-For from an address that is not listed is ignored", async () => {
  const { url } = await limited("10.0.0.0/8");

  expect(await letThrough(url, 8, (n) => `198.51.100.${n}`)).toBe(5);
});

test("with an https URL, cookies are marked Secure", async () => {
  const environment = {
    SKEIN_EXTERNAL_URL: "https://chat.example.com",
    SKEIN_TRUST_PROXY: "false",
  };
  const { url } = await startNode({ environment });

  const cookies = (await fetch(`${url}/login/`)).headers.getSetCookie();

  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) expect(cookie).toContain("; Secure");
});
