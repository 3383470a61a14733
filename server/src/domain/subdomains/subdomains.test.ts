import { checkSubdomain } from "@skein/api/subdomains.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../test/realm.ts";

async function check(realm: TestRealm, subdomain: string): Promise<string | undefined> {
  const [node] = realm.nodes;
  return node && success(await realm.client(node).call(checkSubdomain, { subdomain })).msg;
}

test("a name nobody has is free, and one that is taken is not", async () => {
  const realm = await newRealm();
  const [taken = ""] = realm.host.split(".");

  expect(await check(realm, `${taken}-too`)).toBe("available");
  expect(await check(realm, taken)).toBe("This subdomain is in use.");
});

test.each([
  ["ab", "3 characters or more"],
  ["x".repeat(41), "40 characters at most"],
  ["Elsinore", "lowercase letters"],
  ["el.sinore", "lowercase letters"],
  ["-elsinore", "begin or end with a hyphen"],
  ["www", "reserved"],
])("%s cannot be had", async (name, reason) => {
  expect(await check(await newRealm(), name)).toContain(reason);
});
