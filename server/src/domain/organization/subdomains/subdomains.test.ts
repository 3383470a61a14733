import { checkSubdomain } from "@skein/api/subdomains.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

async function check(realm: TestRealm, subdomain: string): Promise<string | undefined> {
  const [node] = realm.nodes;
  return node && success(await realm.client(node).call(checkSubdomain, { subdomain })).msg;
}

test("an unused name is available, and one in use is not", async () => {
  const realm = await newRealm();
  const [taken = ""] = realm.host.split(".");

  expect(await check(realm, `${taken}-too`)).toBe("available");
  expect(await check(realm, taken)).toBe("This subdomain is already in use.");
});

test.each([
  ["ab", "at least 3 characters"],
  ["x".repeat(41), "at most 40 characters"],
  ["Elsinore", "lowercase letters"],
  ["el.sinore", "lowercase letters"],
  ["-elsinore", "begin or end with a hyphen"],
  ["www", "reserved"],
])("the subdomain %s is unavailable", async (name, reason) => {
  expect(await check(await newRealm(), name)).toContain(reason);
});
