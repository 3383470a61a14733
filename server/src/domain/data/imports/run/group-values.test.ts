import { expect, test } from "vitest";
import { newRealm } from "../../../../../test/realm.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import { systemGroupIds } from "../../../organization/permissions/group-settings.ts";
import { realmPermissions } from "../../../organization/permissions/realm-permissions.ts";
import type { SourceGroupValue } from "../source.ts";
import { storeGroupValue } from "./group-values.ts";
import type { Import } from "./import-context.ts";
import { emptyReport } from "./report.ts";

/** Returns the name of the group, and what the report says. */
async function store(
  name: keyof typeof realmPermissions,
  value: SourceGroupValue,
): Promise<[string | undefined, string[]]> {
  const realm = await newRealm();
  const { db } = realm.ctx;
  const groups = await systemGroupIds(db, realm.id);
  const known = { people: new Map([["1", realm.admin.id]]), groups };
  const report = emptyReport();
  const permission = { name, rule: realmPermissions[name], of: "the organization" };
  const run = { realmId: realm.id } as Import; // what is needed of it
  const id = await transaction(db, "store a value", (tx) => storeGroupValue(tx, run, permission, value, known, report));
  return [[...groups].find(([, group]) => group === id)?.[0], report.remarks];
}

test("a permission of a group that is not here is nobody's", async () => {
  expect(await store("can_create_groups", { members: [], groups: ["77"] })).toEqual([
    "role:nobody",
    [
      "can_create_groups of the organization names people or groups that are not here. They do not have this permission.",
    ],
  ]);
});

test("others that a value names keep the permission", async () => {
  const [group] = await store("can_create_groups", { members: ["2"], groups: ["77", "role:moderators"] });

  expect(group).toBe("role:moderators");
});

test("where nobody is not allowed, the permission is that of the smallest group", async () => {
  expect((await store("can_manage_all_groups", { members: [], groups: ["77"] }))[0]).toBe("role:owners");
  expect((await store("can_access_all_users_group", { members: ["1"], groups: [] }))[0]).toBe("role:members");
});
