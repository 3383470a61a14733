import { beforeAll, expect, test } from "vitest";
import { exportEverything } from "../../../../../test/exported-content.ts";
import { done, pixel } from "../../../../../test/full-organization.ts";
import { newRealm, type TestRealm } from "../../../../../test/realm.ts";
import { openSource } from "../open.ts";
import { toPlan, type PlanFile } from "../run/plan.ts";
import type { Report } from "../run/report.ts";
import { runImport } from "../run/run.ts";

let source: TestRealm;
let path: string;

beforeAll(async () => {
  source = await newRealm();
  const { admin } = source;
  const hamlet = await source.user("hamlet");
  const { group_id } = await done(admin, "POST", "/user_groups/create", {
    name: "guard",
    description: "",
    members: [hamlet.id],
  });
  await done(admin, "PATCH", "/realm", {
    name: "Elsinore",
    description: "A castle",
    mandatory_topics: true,
    can_create_groups: { new: group_id },
  });
  path = await exportEverything(source);
});

const importInto = (realm: TestRealm, plan: PlanFile = {}, from = path): Promise<Report> =>
  runImport(realm.ctx, {
    realmId: realm.id,
    open: (noteSkipped) => openSource(from, { noteSkipped }),
    fingerprint: from,
    plan: toPlan(plan),
  });

const settingsOf = ({ ctx, id }: TestRealm) =>
  ctx.db
    .selectFrom("realms")
    .select(["name", "description", "mandatory_topics"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

const nameOf = async ({ ctx, id }: TestRealm) => {
  const row = await ctx.db.selectFrom("realms").select("string_id").where("id", "=", id).executeTakeFirstOrThrow();
  return row.string_id;
};

test("a new organization takes settings that nobody has changed in it", async () => {
  const realm = await newRealm();
  await done(realm.admin, "PATCH", "/realm", { description: "A new castle" });

  await importInto(realm);

  expect(await settingsOf(realm)).toEqual({ name: "Elsinore", description: "A new castle", mandatory_topics: true });
});

test.for([
  ["people work in", {}],
  ["the plan leaves as it is", { organization: { settings: "keep" } }],
] as const)("an organization that %s keeps its settings", async ([kind, plan]) => {
  const realm = await newRealm();
  if (kind === "people work in") await realm.user("gertrude");

  await importInto(realm, plan);

  expect(await settingsOf(realm)).toEqual({ name: await nameOf(realm), description: "", mandatory_topics: false });
});

test("a plan can replace settings of a living organization", async () => {
  const realm = await newRealm();
  await realm.user("gertrude");
  await done(realm.admin, "PATCH", "/realm", { description: "A new castle" });

  await importInto(realm, { organization: { settings: "take" } });

  expect(await settingsOf(realm)).toEqual({ name: "Elsinore", description: "A castle", mandatory_topics: true });
});

test("a later import changes no settings, also where somebody went back to the first value", async () => {
  const realm = await newRealm();
  await importInto(realm);
  await done(realm.admin, "PATCH", "/realm", { description: "", mandatory_topics: false });
  await source.user("horatio");
  const newer = await exportEverything(source);

  const report = await importInto(realm, {}, newer);

  expect(report.imported.users).toBe(1);
  expect(await settingsOf(realm)).toEqual({ name: "Elsinore", description: "", mandatory_topics: false });
});

test("a picture that was removed here, and a domain that was here already, are not imported later", async () => {
  const from = await newRealm();
  await done(from.admin, "POST", "/realm/domains", { domain: "elsinore.example", allow_subdomains: true });
  await from.admin.upload("/realm/icon", { "icon.png": pixel });
  const realm = await newRealm();
  await done(realm.admin, "POST", "/realm/domains", { domain: "elsinore.example", allow_subdomains: true });
  await realm.admin.upload("/realm/icon", { "icon.png": pixel });

  const report = await importInto(realm, {}, await exportEverything(from));
  await done(realm.admin, "DELETE", "/realm/icon");
  await from.user("horatio");
  await importInto(realm, {}, await exportEverything(from));

  expect(report.remarks).toEqual([]);
  const { icon_key } = await realm.ctx.db
    .selectFrom("realms")
    .select("icon_key")
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  expect(icon_key).toBeNull();
});

test("an import that is interrupted anywhere ends with the same settings", async () => {
  const realm = await newRealm();
  class Stop extends Error {}
  for (let batches = 3; ; batches += 5) {
    let left = batches;
    const attempt = runImport(realm.ctx, {
      realmId: realm.id,
      open: (noteSkipped) => openSource(path, { noteSkipped }),
      fingerprint: path,
      onBatch: () => {
        if (left-- === 0) throw new Stop();
      },
    });
    const isDone = await attempt.then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Stop)) throw error;
        return false;
      },
    );
    if (isDone) break;
  }

  expect(await settingsOf(realm)).toEqual({ name: "Elsinore", description: "A castle", mandatory_topics: true });
});
