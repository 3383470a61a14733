/** Nobody sees after an import what they could not see in the source, and nothing is lost. */
import { expect, test } from "vitest";
import { active, checkAccess } from "../../../../../test/check-access.ts";
import { importInto } from "../../../../../test/imports.ts";
import { addMessage, Chance, randomExport } from "../../../../../test/random-export.ts";
import { newRealm } from "../../../../../test/realm.ts";

test.for([1, 2])("everybody reads what they could read before, and nothing else (%i)", async (seed) => {
  const chance = new Chance(seed);
  const realm = await newRealm();
  const given = randomExport(chance);

  await importInto(realm, given);
  expect(await checkAccess(realm, given)).toBe(active.length);

  // A newer export, in which people have received what is new.
  for (let n = 0; n < 15; n++) addMessage(given, chance);
  await importInto(realm, given, { fingerprint: "newer" });
  expect(await checkAccess(realm, given)).toBe(active.length);
});
