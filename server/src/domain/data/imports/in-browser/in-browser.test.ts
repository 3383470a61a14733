import { getMessages } from "@skein/api/fetch-messages.ts";
import {
  cancelImport,
  createImport,
  getImportPlan,
  getImportReport,
  getImports,
  inspectImport,
  runImport,
  updateImportPlan,
  type RealmImport,
} from "@skein/api/imports.ts";
import { getUsers } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf } from "../../../../../test/actions.ts";
import { countStaged } from "../../../../../test/imports.ts";
import { eventsUntilNow } from "../../../../../test/events-until.ts";
import { startNode } from "../../../../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../../test/realm.ts";
import { largeSlackExport, readyImport, slackExport, uploadExport } from "../../../../../test/uploaded-imports.ts";
import { Outbound } from "../../../../platform/outbound.ts";
import { readAllowedHosts } from "../../../../platform/outbound-addresses.ts";
import { mergeUsers } from "../../merge/merge.ts";
import { runRow, runUploaded, sweepImports } from "./jobs.ts";

const refusal = (msg: string) => expect.objectContaining({ result: "error", msg }) as unknown;
const onlyForOwners = refusal("Must be an organization owner");

const rowOf = ({ ctx }: TestRealm, id: number) =>
  ctx.db.selectFrom("realm_imports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

/**
 * The end of a run also ends queues, so it is polled for. A worker of another file of tests may have taken the job, and
 * stopped: then it is released after a while.
 */
async function untilConcluded(user: TestUser, id: number): Promise<RealmImport> {
  const find = async () => success(await user.call(getImports, {})).imports.find((one) => one.id === id);
  await expect.poll(async () => (await find())?.state, { timeout: 60_000 }).toMatch(/^(finished|failed)$/);
  return (await find()) as RealmImport; // just seen
}

const textsOf = async (user: TestUser): Promise<[channel: unknown, topic: string, text: string][]> => {
  const range = { anchor: "oldest" as const, num_before: 0, num_after: 100, apply_markdown: false };
  const narrow = [{ operator: "channels", operand: "public" }];
  const { messages } = success(await user.call(getMessages, { ...range, narrow }));
  return messages
    .filter(({ sender_full_name }) => sender_full_name !== "Notification Bot")
    .map(({ display_recipient, subject, content }) => [display_recipient, subject, content]);
};

test("an owner uploads an export in parts, sees what is in it, and imports it as planned", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const tomasz = await realm.user("tomasz");
  const quay = await channelOf([tomasz], "quay");
  const queue = await admin.register(["realm_import"]);

  const ready = await readyImport(admin, queue);
  const plan = success(await admin.call(getImportPlan, { import_id: ready.id }));

  expect(ready).toMatchObject({
    file_name: "lighthouse.zip",
    upload_url: null,
    inspection: { source: "slack", people: { total: 3 }, messages: { total: 4 }, skipped: { system_message: 1 } },
  });
  expect(plan).toMatchObject({
    people: [
      { id: "U1", account: "new" },
      { id: "U2", name: "Tomasz Wren", email: "u2@lighthouse.example", account: "new" },
      { id: "U3", account: "inactive", is_active: false },
    ],
    channels: [
      { id: "C1", name: "harbour", action: "new", members: 3 },
      { id: "C2", name: "gossip", action: "new" },
    ],
    is_last: true,
  });

  success(
    await admin.call(updateImportPlan, {
      import_id: ready.id,
      unthreaded: "single",
      people: [
        { id: "U2", account: "existing", email: tomasz.email },
        { id: "U1", account: "inactive" },
      ],
      channels: [
        { id: "C1", action: "merge", into: "QUAY" },
        { id: "C2", action: "skip" },
      ],
    }),
  );
  success(await admin.call(runImport, { import_id: ready.id }));
  const finished = await untilConcluded(admin, ready.id);

  expect(finished).toMatchObject({
    state: "finished",
    report: { imported: { messages: 3, users: 2, channels: 0 }, skipped: { system_message: 1 } },
  });
  const texts = await textsOf(tomasz);
  expect(texts.map(([channel, , text]) => [channel, text])).toEqual([
    [quay.name, "Fog is coming"],
    [quay.name, "Then light the lamp"],
    [quay.name, "Lunch?"],
  ]);
  expect(texts[2]?.[1]).not.toContain("2024");
  const { members } = success(await admin.call(getUsers, {}));
  expect(members.find(({ full_name }) => full_name === "Ines Calder")).toMatchObject({ is_active: false });
  expect(members.some(({ full_name }) => full_name === "Tomasz Wren")).toBe(false);
  const { markdown } = success(await admin.call(getImportReport, { import_id: ready.id }));
  expect(markdown).toContain("| messages | 3 |");
  // The file and the plan are gone.
  expect(success(await admin.call(getImportPlan, { import_id: ready.id }))).toMatchObject({ people: [], channels: [] });
  const parts = await realm.ctx.db
    .selectFrom("realm_import_parts")
    .select("number")
    .where("import_id", "=", ready.id)
    .execute();
  expect(parts).toEqual([]);
});

test("only owners import, and nobody else learns of an import", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const queue = await administrator.register(["realm_import", "subscription"]);
  const { id: import_id } = success(await realm.admin.call(createImport, { file_name: "a.zip", size: 10 }));

  const member = await realm.user("member");
  for (const user of [administrator, member])
    expect([
      await user.call(getImports, {}),
      await user.call(createImport, { file_name: "a.zip", size: 10 }),
      await user.call(inspectImport, { import_id }),
      await user.call(getImportPlan, { import_id }),
      await user.call(updateImportPlan, { import_id, unthreaded: "day" }),
      await user.call(runImport, { import_id }),
      await user.call(cancelImport, { import_id }),
      await user.call(getImportReport, { import_id: import_id + 1000 }),
    ]).toEqual(Array.from({ length: 8 }, () => onlyForOwners));
  expect(await eventsUntilNow(realm, [queue])).toEqual([[]]);
  const elsewhere = await newRealm();
  expect(await elsewhere.admin.call(getImportPlan, { import_id })).toEqual(refusal("Invalid import ID"));
  expect(success(await elsewhere.admin.call(getImports, {})).imports).toEqual([]);
});

test("an organization has one import at a time, whoever asks", async () => {
  const { admin } = await newRealm();
  const announced = { file_name: "a.zip", size: 10 };

  const answers = await Promise.all(Array.from({ length: 6 }, () => admin.call(createImport, announced)));
  const { imports } = success(await admin.call(getImports, {}));

  expect(answers.filter(({ result }) => result === "success")).toHaveLength(1);
  expect(imports).toHaveLength(1);
  success(await admin.call(cancelImport, { import_id: imports[0]?.id ?? 0 }));
  success(await admin.call(createImport, announced));
});

test("a file above the operator's limit is refused with the reason, and so is an incomplete one", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const node = await startNode({ environment: { SKEIN_MAX_IMPORT_MB: "1", SKEIN_ROLES: "api" } });
  const headers = {
    authorization: `Basic ${Buffer.from(`${admin.email}:${admin.apiKey}`).toString("base64")}`,
    "x-forwarded-host": realm.host,
  };
  const body = new URLSearchParams({ file_name: "a.zip", size: String(1024 ** 2 + 1) });

  const refused = await fetch(`${node.url}/api/v1/import/realm`, { method: "POST", headers, body });
  const { id: import_id } = success(await admin.call(createImport, { file_name: "a.zip", size: 10 }));

  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({ msg: expect.stringContaining("(1 MiB)") as string });
  expect(await admin.call(inspectImport, { import_id })).toEqual(refusal("The file is not uploaded completely."));
  expect(await admin.call(runImport, { import_id })).toEqual(refusal("The file is not uploaded completely."));
});

test("a file that is no export is refused with the reason", async () => {
  const { admin } = await newRealm();
  const queue = await admin.register(["realm_import"]);

  const refused = await readyImport(admin, queue, Buffer.from("no export at all"));

  expect(refused).toMatchObject({ state: "refused", reason: expect.stringContaining("not an export") as string });
  expect(await admin.call(runImport, { import_id: refused.id })).toEqual(refusal("This import has ended."));
});

test("changes that cannot be made are refused one by one, and the others are made", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const queue = await admin.register(["realm_import"]);
  const { id: import_id } = await readyImport(admin, queue);
  const change = async (params: object) => success(await admin.call(updateImportPlan, { import_id, ...params }));

  const some = await change({
    people: [
      { id: "U1", account: "inactive" },
      { id: "U2", account: "new", email: admin.email },
      { id: "U3", account: "new" },
    ],
    channels: [
      { id: "C1", action: "merge", into: "nowhere" },
      { id: "C2", action: "skip" },
    ],
  });
  const none = await change({ people: [{ id: "U1", account: "existing" }] });
  const plan = success(await admin.call(getImportPlan, { import_id }));

  expect(some).toMatchObject({
    plan_revision: 1,
    refused_people: [
      { id: "U2", reason: `Somebody here already has the e-mail address ${admin.email}.` },
      { id: "U3", reason: "Dov Marsh is deactivated in the export. An administrator can reactivate them later." },
    ],
    refused_channels: [{ id: "C1", reason: "There is no channel nowhere to merge harbour into." }],
  });
  expect(none).toMatchObject({ plan_revision: 1, refused_people: [{ id: "U1" }], refused_channels: [] });
  expect(plan).toMatchObject({
    plan_revision: 1,
    people: [{ account: "inactive" }, { account: "new", email: "u2@lighthouse.example" }, { account: "inactive" }],
    channels: [{ action: "new" }, { action: "skip" }],
  });
});

test("a change of somebody who is not in the export, or of too many at once, changes nothing", async () => {
  const { admin } = await newRealm();
  const queue = await admin.register(["realm_import"]);
  const { id: import_id } = await readyImport(admin, queue);

  const answers = [
    await admin.call(updateImportPlan, {
      import_id,
      unthreaded: "day",
      people: [
        { id: "U1", account: "inactive" },
        { id: "U9", account: "inactive" },
      ],
    }),
    await admin.request("PATCH", `/import/realm/${import_id}/plan`, {
      people: JSON.stringify(Array.from({ length: 1001 }, () => ({ id: "U1", account: "inactive" }))),
    }),
  ];

  expect(answers.map(({ result }) => result)).toEqual(["error", "error"]);
  const { imports } = success(await admin.call(getImports, {}));
  expect(imports[0]).toMatchObject({ unthreaded: "month", plan_revision: 0 });
  expect(success(await admin.call(getImportPlan, { import_id })).people[0]).toMatchObject({ account: "new" });
});

test("a plan of 10,000 people and 1,000 channels is read in pages, and a thousand are changed at once", async () => {
  const { admin } = await newRealm();
  const queue = await admin.register(["realm_import"]);
  const { id: import_id } = await readyImport(admin, queue, largeSlackExport(10_000, 1000));

  const pages = [];
  for (let after = 0; ; after += 1000) {
    const page = success(await admin.call(getImportPlan, { import_id, after }));
    pages.push(page);
    if (page.is_last) break;
  }
  const people = pages.flatMap((page) => page.people);
  const changed = success(
    await admin.call(updateImportPlan, {
      import_id,
      people: people.slice(5000, 6000).map(({ id }) => ({ id, account: "inactive" as const })),
    }),
  );
  const after = success(await admin.call(getImportPlan, { import_id, after: 5000 }));

  expect(new Set(people.map(({ id }) => id)).size).toBe(10_000);
  expect(pages.flatMap((page) => page.channels)).toHaveLength(1000);
  expect(changed).toMatchObject({ plan_revision: 1, refused_people: [] });
  expect(new Set(after.people.map(({ account }) => account))).toEqual(new Set(["inactive"]));
});

test("a run whose worker was killed continues, and stores everything once", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  const queue = await admin.register(["realm_import"]);
  const { id } = await readyImport(admin, queue);
  const run_at = new Date();
  await ctx.db.updateTable("realm_imports").set({ state: "running", run_at }).where("id", "=", id).execute();
  let batches = 0;
  const killed = runRow(ctx, await rowOf(realm, id), {
    onBatch: () => {
      if (++batches === 4) throw new Error("killed");
    },
  });
  await expect(killed).rejects.toThrow("killed");
  expect(await rowOf(realm, id)).toMatchObject({ state: "running" });

  await runUploaded.run(ctx, { id }, { attempt: 2, maxAttempts: 8 });

  const { imports } = success(await admin.call(getImports, {}));
  expect(imports[0]).toMatchObject({ state: "finished", report: { imported: { messages: 4, users: 3, channels: 2 } } });
  expect((await textsOf(admin)).map(([, , text]) => text).toSorted()).toEqual(
    ["Fog is coming", "Lunch?", "Psst", "Then light the lamp"].toSorted(),
  );
});

test("files that only Slack has are fetched if the owner wants that, through the guard of outgoing requests", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  const ready = await readyImport(admin, await admin.register(["realm_import"]), slackExport({ hasFile: true }));
  const run_at = new Date();
  await ctx.db.updateTable("realm_imports").set({ state: "running", run_at }).where("id", "=", ready.id).execute();
  const asked: string[] = [];
  const outbound = new Outbound(readAllowedHosts([]), (host, _, answer) => {
    asked.push(host);
    answer(null, [{ address: "127.0.0.1", family: 4 }]);
  });

  await runUploaded.run({ ...ctx, outbound }, { id: ready.id, fetches_files: true }, { attempt: 1, maxAttempts: 8 });

  expect(ready.inspection).toMatchObject({
    files: { in_archive: 0, missing: 1, fetchable: 1 },
    skipped: { file_not_in_archive: 1 },
  });
  expect(asked).toEqual(["files.slack.com"]);
  const { report } = success(await admin.call(getImportReport, { import_id: ready.id }));
  expect(report.skipped).toEqual({ system_message: 1, file_unreachable: 1 });
});

test("an export without files to fetch is not run with them", async () => {
  const { admin } = await newRealm();
  const { id, inspection } = await readyImport(admin, await admin.register(["realm_import"]));

  expect(inspection?.files).toMatchObject({ missing: 0, fetchable: 0 });
  expect(await admin.call(runImport, { import_id: id, fetch_files: true })).toEqual(
    refusal("This export has no files that can be fetched."),
  );
});

test("a run that was finished when its worker was killed keeps its report", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  const queue = await admin.register(["realm_import"]);
  const { id } = await readyImport(admin, queue);
  success(await admin.call(runImport, { import_id: id }));
  const { report } = await untilConcluded(admin, id);
  await ctx.db
    .updateTable("realm_imports")
    .set({ state: "running", report: null, finished_at: null })
    .where("id", "=", id)
    .execute();

  await runUploaded.run(ctx, { id }, { attempt: 2, maxAttempts: 8 });

  expect((await rowOf(realm, id)).report).toEqual(report);
});

test("a run that fails says why, and can be continued after the plan was changed", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  await channelOf([admin], "quay");
  const queue = await admin.register(["realm_import"]);
  const { id: import_id } = await readyImport(admin, queue);
  success(await admin.call(updateImportPlan, { import_id, channels: [{ id: "C1", action: "merge", into: "quay" }] }));
  await ctx.db.updateTable("channels").set({ name: "wharf" }).where("realm_id", "=", realm.id).execute();
  success(await admin.call(runImport, { import_id }));

  const failed = await untilConcluded(admin, import_id);
  success(await admin.call(updateImportPlan, { import_id, channels: [{ id: "C1", action: "new" }] }));
  success(await admin.call(runImport, { import_id }));
  const finished = await untilConcluded(admin, import_id);

  expect(failed).toMatchObject({ state: "failed", reason: "The plan merges harbour into quay, which does not exist." });
  expect(finished).toMatchObject({ state: "finished", report: { imported: { messages: 4 } } });
});

test("of a run that failed and was canceled or has expired nothing is left, and accounts can be merged again", async () => {
  for (const end of ["canceled", "expired"]) {
    const realm = await newRealm();
    const { admin, ctx } = realm;
    await channelOf([admin], "quay");
    const queue = await admin.register(["realm_import"]);
    const { id: import_id } = await readyImport(admin, queue);
    success(await admin.call(updateImportPlan, { import_id, channels: [{ id: "C1", action: "merge", into: "quay" }] }));
    await ctx.db.updateTable("channels").set({ name: "wharf" }).where("realm_id", "=", realm.id).execute();
    success(await admin.call(runImport, { import_id }));
    await untilConcluded(admin, import_id);
    const [from, into] = [await realm.user("gertrud"), await realm.user("gertrude")];
    const row = await ctx.db.selectFrom("realms").selectAll().where("id", "=", realm.id).executeTakeFirstOrThrow();
    const merge = () => mergeUsers(ctx.db, row, from.id, into.id);
    expect(await countStaged(realm)).toBeGreaterThan(0);
    await expect(merge()).rejects.toThrow("An import into this organization is not finished");

    if (end === "canceled") success(await admin.call(cancelImport, { import_id }));
    else {
      await sql`update realm_imports set changed_at = now() - interval '8 days' where id = ${import_id}`.execute(
        ctx.db,
      );
      await sweepImports.run(ctx, {}, { attempt: 1, maxAttempts: 1 });
    }

    expect(await rowOf(realm, import_id)).toMatchObject({ state: end });
    expect(await countStaged(realm)).toBe(0);
    expect(await merge()).toMatchObject({ messages: 0 });
  }
});

test("imports that nobody continues expire, and those whose worker is lost fail", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  const queue = await admin.register(["realm_import"]);
  const { id } = await readyImport(admin, queue);
  await sql`update realm_imports set changed_at = now() - interval '8 days' where id = ${id}`.execute(ctx.db);
  await sweepImports.run(ctx, {}, { attempt: 1, maxAttempts: 1 });
  expect(await rowOf(realm, id)).toMatchObject({ state: "expired" });

  const second = await uploadExport(admin);
  await sql`update realm_imports set state = 'running', changed_at = now() - interval '2 minutes' where id = ${second}`.execute(
    ctx.db,
  );
  await sweepImports.run(ctx, {}, { attempt: 1, maxAttempts: 1 });

  expect(await rowOf(realm, second)).toMatchObject({ state: "failed", reason: expect.any(String) as string });
});
