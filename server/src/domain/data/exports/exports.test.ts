import { addAlertWords } from "@skein/api/alert-words.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { createBot } from "@skein/api/bots.ts";
import { createDrafts } from "@skein/api/drafts.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { createExport, getExportConsents, getExports, removeExport } from "@skein/api/exports.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { createSavedSnippet } from "@skein/api/saved-snippets.ts";
import { createScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import { createUser, deactivateUser, reactivateUser, updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { exportAs, pathOf, unpack, untilConcluded } from "../../../../test/exported.ts";
import { fetchAs, statusFor, uploadAs } from "../../../../test/files.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import type { Context } from "../../../context.ts";
import { failLostExports, makeExport } from "./jobs.ts";

const consent = async (user: TestUser, allow_private_data_export = true) =>
  success(await user.call(updateSettings, { allow_private_data_export }));

const onlyForAdministrators = { result: "error", code: "BAD_REQUEST", msg: "Must be an organization administrator" };

test("a public export contains what every member can read, and nothing else", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  await consent(hamlet);
  success(await horatio.call(updateSettings, { email_address_visibility: 4 }));
  const open = await channelOf([hamlet, horatio], "open");
  const closed = await channelOf([hamlet, horatio], "closed", { isPrivate: true });
  const [file, hidden] = [await uploadAs(hamlet, { content: "a file" }), await uploadAs(hamlet)];
  const id = await sendToChannel(hamlet, open, { topic: "plans", content: `look: [note](${file})` });
  await sendToChannel(hamlet, closed, { content: `for us alone: [note](${hidden})` });
  await sendDirect(hamlet, [horatio], { content: "between you and me" });
  success(await hamlet.call(createDrafts, { drafts: [{ type: "", to: [], topic: "", content: "to be or" }] }));

  const exported = await exportAs(admin, 1);

  expect(await exported.rows("messages")).toMatchObject([
    { id, sender_id: hamlet.id, conversation_id: open.id, topic: "plans", is_channel_message: true },
  ]);
  expect(await exported.rows("channels")).toMatchObject([{ id: open.id, name: "open" }]);
  const attachments = await exported.rows("attachments");
  expect(attachments).toMatchObject([
    { owner_id: hamlet.id, file: `files${file.replace("/user_uploads", "/uploads")}` },
  ]);
  expect(await exported.text(String(attachments[0]?.["file"]))).toBe("a file");
  const addresses = new Map((await exported.rows("users")).map((user) => [user["id"], user["delivery_email"]]));
  expect(addresses.get(hamlet.id)).toBe(hamlet.email);
  expect(addresses.get(horatio.id)).toBeNull();
  for (const kind of ["drafts", "direct_conversations", "message_flags"]) expect(await exported.rows(kind)).toEqual([]);
  expect(await exported.summary()).toMatchObject({
    format: "skein-export",
    version: 1,
    export_type: 1,
    counts: { messages: 1, channels: 1, attachments: 1 },
    missing_files: [],
  });
  expect(JSON.stringify(await exported.rows("users"))).not.toMatch(/password|api_key/);
});

test("with consent it also contains what consenting users can read, and their private data", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [hamlet, horatio, ghost] = [await realm.user("hamlet"), await realm.user("horatio"), await realm.user("ghost")];
  await consent(hamlet);
  const shared = await channelOf([horatio, hamlet], "shared", { isPrivate: true });
  const strict = await channelOf([horatio, ghost], "strict", { isPrivate: true, hasSharedHistory: false });
  const others = await channelOf([horatio, ghost], "others", { isPrivate: true });
  const readable = [await sendToChannel(horatio, shared)];
  await sendToChannel(horatio, strict, { content: "before he came" });
  await channelOf([horatio, hamlet], "strict", { isPrivate: true, hasSharedHistory: false });
  readable.push(await sendToChannel(horatio, strict, { content: "to him, too" }));
  await sendToChannel(horatio, others);
  readable.push(await sendDirect(horatio, [hamlet]));
  await sendDirect(horatio, [ghost]);
  const draft = { type: "", to: [], topic: "", content: "to be or" } as const;
  for (const user of [hamlet, ghost]) success(await user.call(createDrafts, { drafts: [{ ...draft, to: [] }] }));
  const bot = { full_name: "Echo", short_name: "echo", bot_type: 3, payload_url: "https://cave.example/?key=1" };
  success(await hamlet.call(createBot, bot));

  const exported = await exportAs(admin, 2);

  // The notification bot may already have notified him of his subscription.
  const written = (await exported.rows("messages")).filter((message) => message["sender_id"] === horatio.id);
  expect(new Set(written.map((message) => message["id"]))).toEqual(new Set(readable));
  expect((await exported.rows("channels")).map(({ name }) => name)).toEqual(["shared", "strict"]);
  const parties = (await exported.rows("direct_conversations")).map((conversation) => conversation["user_ids"]);
  expect(parties).toContainEqual([hamlet.id, horatio.id]);
  expect(parties).not.toContainEqual([horatio.id, ghost.id]);
  expect(await exported.rows("drafts")).toMatchObject([{ user_id: hamlet.id, content: "to be or" }]);
  expect(await exported.rows("outgoing_webhooks")).toEqual([]);
});

test("with consent nothing is in it that only people who did not agree could know", async () => {
  const realm = await newRealm();
  const [hamlet, horatio, ghost] = [await realm.user("hamlet"), await realm.user("horatio"), await realm.user("ghost")];
  await consent(hamlet);
  const foreign = (await newRealm()).admin;
  await consent(foreign);
  await sendDirect(foreign, [foreign], { content: "UNSEEN of another organization" });
  // What only horatio and ghost share, or keep for themselves; each says UNSEEN.
  const strict = await channelOf([horatio, hamlet, ghost], "strict", { isPrivate: true, hasSharedHistory: false });
  success(await hamlet.call(unsubscribe, { subscriptions: ["strict"] }));
  await sendToChannel(horatio, strict, { topic: "UNSEEN topic", content: "UNSEEN while he was away" });
  await channelOf([horatio, hamlet], "strict", { isPrivate: true, hasSharedHistory: false });
  await sendToChannel(hamlet, strict, { topic: "unseen topic" });
  const secret = await channelOf([horatio, ghost], "UNSEEN channel", { isPrivate: true });
  await sendToChannel(horatio, secret, { topic: "UNSEEN plot", content: "UNSEEN words" });
  await sendDirect(horatio, [ghost], { content: "UNSEEN direct message" });
  await sendDirect(horatio, [horatio], { content: "UNSEEN note" });
  const hidden = await uploadAs(ghost, { name: "UNSEEN.txt", content: "UNSEEN file" });
  await sendToChannel(ghost, secret, { content: `[f](${hidden})` });
  await uploadAs(ghost, { name: "UNSEEN-unsent.txt" });
  for (const user of [horatio, ghost]) {
    success(await user.call(updateSettings, { email_address_visibility: 4 }));
    success(await user.call(createDrafts, { drafts: [{ type: "", to: [], topic: "", content: "UNSEEN draft" }] }));
    success(await user.call(addAlertWords, { alert_words: ["UNSEEN word"] }));
    success(await user.call(createSavedSnippet, { title: "UNSEEN title", content: "UNSEEN snippet" }));
    const later = { to: [user.id], content: "UNSEEN later", scheduled_delivery_timestamp: 4e9 };
    success(await user.call(createScheduledMessage, { type: "direct", ...later }));
  }
  const seen = await sendToChannel(horatio, strict, { content: "back again" });

  const exported = await exportAs(realm.admin, 2);

  const everything = await exported.everything();
  expect(everything).toContain("back again");
  expect(everything).not.toContain("UNSEEN");
  expect(everything).not.toContain(horatio.email);
  expect(everything).not.toContain(ghost.email);
  const ids = (await exported.rows("messages")).filter(({ sender_id }) => sender_id === horatio.id).map(({ id }) => id);
  expect(ids).toEqual([seen]);
  for (const kind of ["message_flags", "user_topics", "muted_users", "read_direct_messages"])
    for (const row of await exported.rows(kind)) expect(row["user_id"]).toBe(hamlet.id);
});

test.each([
  ["all", ["typo", null], ["earlier"]],
  ["moves", [null], ["earlier"]],
  ["none", [], []],
] as const)("edits are in it as far as the organization shows them (%s)", async (policy, texts, topics) => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "open");
  const rest = await sendToChannel(realm.admin, channel, { topic: "earlier" });
  const id = await sendToChannel(realm.admin, channel, { topic: "earlier", content: "typo" });
  const edit = (params: Partial<ArgumentsOf<typeof updateMessage>>) =>
    realm.admin.call(updateMessage, { message_id: id, ...params });
  success(await edit({ content: "text" }));
  success(await edit({ topic: "later", propagate_mode: "change_one" }));
  success(await realm.admin.call(updateMessage, { message_id: rest, topic: "renamed", propagate_mode: "change_all" }));
  success(await realm.admin.call(updateRealm, { message_edit_history_visibility_policy: policy }));

  const exported = await exportAs(realm.admin, 1);

  const [edited] = (await exported.rows("messages")).filter((message) => message["id"] === id);
  expect(edited).toMatchObject({ content: "text", topic: "later" });
  const edits = (edited?.["edits"] ?? []) as { prev_content: string | null }[];
  expect(edits.map((one) => one.prev_content)).toEqual(texts);
  const renames = (await exported.rows("topics")).flatMap((topic) => topic["edits"] as { prev_topic: string }[]);
  expect(renames.map((one) => one.prev_topic)).toEqual(topics);
});

test("a user who left a channel does not make it part of an export", async () => {
  const realm = await newRealm();
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  await consent(hamlet);
  const channel = await channelOf([horatio, hamlet], "closed", { isPrivate: true });
  await sendToChannel(horatio, channel);

  success(await hamlet.call(unsubscribe, { subscriptions: ["closed"] }));

  expect(await (await exportAs(realm.admin, 2)).rows("messages")).toEqual([]);
});

test("only administrators receive and download an export", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const [member, administrator] = [await realm.user("member"), await realm.user("administrator", { role: 200 })];
  const types = ["realm_export", "stream"] as const;
  const queues = [await member.register([...types]), await elsewhere.admin.register([...types])];
  const queue = await administrator.register(["realm_export"]);
  const notice = await realm.admin.register(["message"], []);

  const { id } = success(await realm.admin.call(createExport, {}));

  expect(await queue.next()).toMatchObject({
    exports: [{ id, pending: true, export_url: null, export_type: "public" }],
  });
  const made = await untilConcluded(queue);
  expect(made).toMatchObject({ id, acting_user_id: realm.admin.id, failed_timestamp: null, deleted_timestamp: null });
  expect(success(await administrator.call(getExports, {})).exports).toMatchObject([{ id, pending: false }]);
  expect((await notice.nextOf("message")).message.content).toContain(made.export_url);
  expect(await eventsUntilNow(realm, queues.slice(0, 1))).toEqual([[]]);
  expect(await eventsUntilNow(elsewhere, queues.slice(1))).toEqual([[]]);
  await unpack(administrator, made);
  const path = pathOf(made);
  expect([await statusFor(realm, path), await statusFor(member, path)]).toEqual([401, 400]);
  expect(await statusFor(realm.admin, path.replace(/[^/]+\/[^/]+$/, "guess/skein-export.tar.gz"))).toBe(404);
  expect(await member.call(getExports, {})).toEqual(onlyForAdministrators);
  expect(await member.call(createExport, {})).toEqual(onlyForAdministrators);
  expect(await member.call(removeExport, { export_id: id })).toEqual(onlyForAdministrators);
  expect(await elsewhere.admin.call(removeExport, { export_id: id })).toMatchObject({ msg: "Invalid data export ID" });
});

test("the kind of an export is a word, or a number as older clients have it", async () => {
  const realm = await newRealm();
  const start = (export_type: string) => realm.admin.request("POST", "/export/realm", { export_type });
  const queue = await realm.admin.register(["realm_export"]);

  for (const [given, told] of [
    ["full_with_consent", "full_with_consent"],
    ['"public"', "public"],
    ["2", "full_with_consent"],
  ] as const) {
    expect(await start(given)).toMatchObject({ result: "success" });
    expect(await untilConcluded(queue)).toMatchObject({ export_type: told });
  }
  expect(await start("full_without_consent")).toMatchObject({
    msg: "Exports of private data without consent are not enabled in this organization.",
  });
  expect(await start("everything")).toMatchObject({ result: "error", msg: expect.stringContaining("export_type") });
});

test("a former administrator cannot download an export with an old URL", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const queue = await administrator.register(["realm_export"]);
  success(await administrator.call(createExport, {}));
  const path = pathOf(await untilConcluded(queue));
  expect(await statusFor(administrator, path)).toBe(200);

  success(await realm.admin.call(updateUser, { user_id: administrator.id, role: 400 }));

  expect([await statusFor(administrator, path), await statusFor(administrator, path)]).toEqual([400, 400]);
});

test("an export can be downloaded in ranges", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm_export"]);
  success(await realm.admin.call(createExport, {}));
  const path = pathOf(await untilConcluded(queue));
  const whole = Buffer.from(await (await fetchAs(realm.admin, path)).arrayBuffer());

  const part = await fetchAs(realm.admin, path, { headers: { range: "bytes=10-" } });

  expect([part.status, part.headers.get("content-range")]).toEqual([
    206,
    `bytes 10-${whole.length - 1}/${whole.length}`,
  ]);
  expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(10))).toBe(true);
  const head = await fetchAs(realm.admin, path, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe(String(whole.length));
  expect((await fetchAs(realm.admin, path, { headers: { range: "bytes=99999999-" } })).status).toBe(416);
});

test("a deleted export is gone, and can be deleted once", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const queue = await admin.register(["realm_export"]);
  const { id } = success(await admin.call(createExport, {}));
  const path = pathOf(await untilConcluded(queue));

  const answers = await Promise.all([0, 1].map((node) => admin.on(node).call(removeExport, { export_id: id })));

  expect(answers.map(({ result }) => result).toSorted()).toEqual(["error", "success"]);
  expect(answers.find(({ result }) => result === "error")).toMatchObject({ msg: "Export already deleted" });
  const [gone] = (await queue.nextOf("realm_export")).exports;
  expect(gone).toMatchObject({ id, export_url: null, pending: false });
  expect(gone?.deleted_timestamp).toBeGreaterThan(0);
  expect(await statusFor(admin, path)).toBe(404);
});

/** An export without a job. */
async function exportWithoutJob(realm: TestRealm, requestedAt = new Date()): Promise<number> {
  const { id } = await realm.ctx.db
    .insertInto("realm_exports")
    .values({
      realm_id: realm.id,
      acting_user_id: realm.admin.id,
      export_type: 1,
      requested_at: requestedAt,
      secret: `secret-${realm.host}-${requestedAt.getTime()}`,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** A file store that fails after a few chunks. */
const withBrokenStore = (ctx: Context): Context =>
  Object.assign(Object.create(ctx) as Context, {
    files: Object.assign(Object.create(ctx.files) as Context["files"], {
      putStream: async (_key: string, chunks: AsyncIterable<Uint8Array>) => {
        for await (const _ of chunks) throw new Error("the disk is full");
      },
    }),
  });

test("one export can be pending at a time, and five requested per week", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  await exportWithoutJob(realm);

  const refused = await Promise.all([0, 1].map((node) => admin.on(node).call(createExport, {})));

  for (const answer of refused) expect(answer).toMatchObject({ msg: "There is already a data export in progress." });
  const { exports } = success(await admin.call(getExports, {}));
  expect(await admin.call(removeExport, { export_id: exports[0]?.id ?? 0 })).toMatchObject({
    msg: "Export still in progress",
  });
  await ctx.db.updateTable("realm_exports").set({ failed_at: new Date() }).where("realm_id", "=", realm.id).execute();
  expect(await admin.call(removeExport, { export_id: exports[0]?.id ?? 0 })).toMatchObject({
    msg: "Export failed, nothing to delete",
  });
  const queue = await admin.register(["realm_export"]);
  for (let more = 0; more < 4; more++) {
    success(await admin.call(createExport, {}));
    await untilConcluded(queue);
  }
  expect(await admin.call(createExport, {})).toMatchObject({ code: "BAD_REQUEST", msg: "Exceeded rate limit." });
});

test("an interrupted export is created again", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm_export"]);
  const id = await exportWithoutJob(realm);
  const broken = withBrokenStore(realm.ctx);

  await expect(makeExport.run(broken, { id }, { attempt: 1, maxAttempts: 3 })).rejects.toThrow("the disk is full");
  expect(success(await realm.admin.call(getExports, {})).exports).toMatchObject([{ id, pending: true }]);
  await makeExport.run(realm.ctx, { id }, { attempt: 2, maxAttempts: 3 });
  await makeExport.run(realm.ctx, { id }, { attempt: 3, maxAttempts: 3 });

  await unpack(realm.admin, await untilConcluded(queue));
});

test("an export whose last attempt fails is reported as failed", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm_export"]);
  const id = await exportWithoutJob(realm);
  const broken = withBrokenStore(realm.ctx);

  await expect(makeExport.run(broken, { id }, { attempt: 3, maxAttempts: 3 })).rejects.toThrow("the disk is full");

  const failed = await untilConcluded(queue);
  expect(failed).toMatchObject({ id, export_url: null });
  expect(failed.failed_timestamp).toBeGreaterThan(0);
});

test("an export without a job is reported as failed", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm_export"]);
  const id = await exportWithoutJob(realm, new Date(Date.now() - 3_600_000));

  await failLostExports.run(realm.ctx, {}, { attempt: 1, maxAttempts: 1 });

  expect(await untilConcluded(queue)).toMatchObject({ id, export_url: null, pending: false });
});

test("administrators see who consents to the export of private data, and receive changes", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const queue = await admin.register(["realm_export_consent"]);
  const unaware = await ophelia.register(["realm_export_consent", "stream"]);

  await consent(hamlet);
  await consent(hamlet);
  const newcomer = { email: `new@${realm.host}`, full_name: "New", password: "correct horse battery" };
  const { user_id } = success(await admin.call(createUser, newcomer));
  success(await admin.call(deactivateUser, { user_id: hamlet.id }));
  success(await admin.call(reactivateUser, { user_id: hamlet.id }));

  const told = { type: "realm_export_consent", user_id: hamlet.id, consented: true };
  expect(await queue.next()).toEqual(told);
  expect(await queue.next()).toEqual({ ...told, user_id, consented: false });
  expect(await queue.next()).toEqual(told);
  expect(success(await admin.call(getExportConsents, {})).export_consents).toEqual([
    { user_id: admin.id, consented: false, email_address_visibility: 1 },
    { user_id: hamlet.id, consented: true, email_address_visibility: 1 },
    { user_id: ophelia.id, consented: false, email_address_visibility: 1 },
    { user_id, consented: false, email_address_visibility: 1 },
  ]);
  expect(await eventsUntilNow(realm, [unaware])).toEqual([[]]);
  expect(await ophelia.call(getExportConsents, {})).toEqual(onlyForAdministrators);
});
