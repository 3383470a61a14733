import { expect, test } from "vitest";
import { keyOf, readGroupMap, settingOf, showGroupMap, splitCertificates, words } from "./provider-form.ts";

const groups = [
  { id: 7, name: "Engineering" },
  { id: 8, name: "Crew of the ship" },
];

test("groups are written one a line, and read again as they were", () => {
  const map = { engineers: 7, "CN=crew,DC=harbor": 8 };
  const text = showGroupMap(map, groups);

  expect(text).toBe("engineers = Engineering\nCN=crew,DC=harbor = Crew of the ship");
  expect(readGroupMap(`${text}\n\n`, groups)).toEqual({ ids: map });
});

test.each(["engineers", "engineers = Nobody", "= Engineering", "engineers ="])("%j names no group", (line) => {
  expect(readGroupMap(`crew = 8\n${line}`, groups)).toEqual({ unknown: line });
});

test("a group that is not known here keeps its ID", () => {
  expect(showGroupMap({ crew: 99 }, groups)).toBe("crew = 99");
});

test("keys are made from names, and lists are separated by anything usual", () => {
  expect(keyOf(" Härbor ID! ")).toBe("ha-rbor-id");
  expect(words("a.com, b.com\nc.com ")).toEqual(["a.com", "b.com", "c.com"]);
});

test("certificates are separated, with and without their frame", () => {
  const framed = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;

  expect(splitCertificates(`Old:\n${framed("MIIC\nold")}\r\n${framed("MIICnew")} `)).toEqual([
    framed("MIIC\nold"),
    framed("MIICnew"),
  ]);
  expect(splitCertificates("MIIC\nold\n \n\nMIICnew\n")).toEqual(["MIIC\nold", "MIICnew"]);
  expect(splitCertificates(" \n")).toEqual([]);
});

test.each([
  ["issuer must begin with https://.", "issuer"],
  ["saml.sso_url must begin with https://", "saml.sso_url"],
  ['saml["certificates"][0] is too long (limit: 10000 characters)', "saml.certificates"],
  ['ldap["sync"]["interval_minutes"] is too small', "ldap.sync.interval_minutes"],
  ["allowed_domains[1] is too long (limit: 80 characters)", "allowed_domains"],
  ["There is already an identity provider with the key harbor.", "key"],
  ["Invalid domain: Domain can't be empty.", "allowed_domains"],
  ["Must be an organization owner", undefined],
])("%j is about the setting %s", (message, setting) => {
  expect(settingOf(message)).toBe(setting);
});
