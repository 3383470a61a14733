import { Readable } from "node:stream";
import { getAttachments } from "@skein/api/uploads.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { fetchAs, statusFor } from "../../../../../test/files.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../../test/realm.ts";
import { appendTo, removeExpiredUploads } from "./upload.ts";

const version = { "tus-resumable": "1.0.0" };
const bytes = "application/offset+octet-stream";
const named = (name: string, type = "text/plain"): string =>
  `filename ${Buffer.from(name).toString("base64")},filetype ${Buffer.from(type).toString("base64")},is_confidential`;

const begin = (user: TestUser, length: number | string, headers: Record<string, string> = {}, body?: string) =>
  fetchAs(user, "/api/v1/tus/", {
    method: "POST",
    headers: { ...version, "upload-length": String(length), "upload-metadata": named("a b.txt"), ...headers },
    ...(body === undefined ? {} : { body }),
  });

const append = (user: TestUser, location: string, offset: number, body: string, headers: Record<string, string> = {}) =>
  fetchAs(user, location, {
    method: "PATCH",
    headers: { ...version, "content-type": bytes, "upload-offset": String(offset), ...headers },
    body,
  });

const offsetOf = async (user: TestUser, location: string) => {
  const answer = await fetchAs(user, location, { method: "HEAD", headers: version });
  return answer.status === 200 ? Number(answer.headers.get("upload-offset")) : answer.status;
};

const rowOf = ({ ctx }: TestRealm, location: string) =>
  ctx.db
    .selectFrom("resumable_uploads")
    .selectAll()
    .where("id", "=", location.split("/").at(-1) ?? "")
    .executeTakeFirstOrThrow();

const partsOf = async ({ ctx }: TestRealm, location: string): Promise<string[]> => {
  const rows = await ctx.db
    .selectFrom("resumable_upload_parts")
    .select("file_key")
    .where("upload_id", "=", location.split("/").at(-1) ?? "")
    .orderBy("number")
    .execute();
  return rows.map(({ file_key }) => file_key);
};

/** A request body whose connection breaks after this text. */
const broken = (text: string): Readable =>
  Readable.from(
    (function* () {
      yield Buffer.from(text);
      throw new Error("aborted");
    })(),
  );

const locationOf = (answer: Response): string => answer.headers.get("location") ?? "";

test("a file sent in parts to several nodes is one file", async () => {
  const { admin } = await newRealm();
  const queue = await admin.register(["attachment"]);

  const begun = await begin(admin, 10);
  const location = locationOf(begun);
  const first = await append(admin, location, 0, "0123");
  const between = await fetchAs(admin, location, { method: "HEAD", headers: version });
  const last = await append(admin, location, 4, "456789");

  expect([begun.status, first.status, between.status, last.status]).toEqual([201, 204, 200, 200]);
  expect(location).toMatch(/^\/api\/v1\/tus\/[\w-]{24}$/);
  for (const answer of [begun, first, between, last]) {
    expect(answer.headers.get("tus-resumable")).toBe("1.0.0");
    expect(Date.parse(answer.headers.get("upload-expires") ?? "")).toBeGreaterThan(Date.now());
  }
  expect([first.headers.get("upload-offset"), between.headers.get("upload-length")]).toEqual(["4", "10"]);
  expect(between.headers.get("cache-control")).toBe("no-store");
  const { url, filename } = (await last.json()) as Record<string, string>;
  expect(filename).toBe("a b.txt");
  const fetched = await fetchAs(admin, String(url));
  expect(await fetched.text()).toBe("0123456789");
  expect(fetched.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await queue.next()).toMatchObject({ op: "add", attachment: { name: "a b.txt", size: 10 } });
  expect(await offsetOf(admin, location)).toBe(10);
  expect(success(await admin.call(getAttachments, {})).attachments).toHaveLength(1);
});

test("the first bytes may come with the creation, and an empty file needs no others", async () => {
  const { admin } = await newRealm();

  const some = await begin(admin, 4, { "content-type": bytes }, "01");
  const all = await begin(admin, 4, { "content-type": bytes }, "0123");
  const none = await begin(admin, 0);

  expect([some.status, some.headers.get("upload-offset")]).toEqual([201, "2"]);
  expect([all.status, await all.json()]).toEqual([201, { url: expect.any(String), filename: "a b.txt" }]);
  expect([none.status, await none.json()]).toEqual([201, { url: expect.any(String), filename: "a b.txt" }]);
});

test("anybody can ask for the protocol version and the maximum size", async () => {
  const realm = await newRealm();

  const answer = await fetchAs(realm, "/api/v1/tus/", { method: "OPTIONS" });

  expect(answer.status).toBe(204);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "tus-version": "1.0.0",
    "tus-extension": "creation,creation-with-upload,expiration,termination",
    "tus-max-size": String(100 * 1024 ** 2),
  });
});

test("an invalid request is refused and changes nothing", async () => {
  const { admin } = await newRealm();
  const location = locationOf(await begin(admin, 4));

  expect((await begin(admin, 100 * 1024 ** 2 + 1)).status).toBe(413);
  expect((await begin(admin, -1)).status).toBe(400);
  expect((await begin(admin, 4, { "tus-resumable": "0.2.2" })).status).toBe(412);
  expect((await append(admin, location, 1, "1")).status).toBe(409);
  expect((await append(admin, location, 0, "01234")).status).toBe(413);
  expect((await append(admin, location, 0, "0", { "content-type": "text/plain" })).status).toBe(415);
  expect((await append(admin, location, 0, "0", { "upload-offset": "x" })).status).toBe(400);
  expect((await append(admin, `${location}x`, 0, "0")).status).toBe(404);
  expect(await offsetOf(admin, location)).toBe(0);
});

test("an upload belongs to its owner alone", async () => {
  const realm = await newRealm();
  const [hamlet, other] = [await realm.user("hamlet"), await realm.user("other")];
  const location = locationOf(await begin(hamlet, 4));

  expect(await offsetOf(other, location)).toBe(404);
  expect((await append(other, location, 0, "0123")).status).toBe(404);
  expect((await fetchAs(other, location, { method: "DELETE", headers: version })).status).toBe(404);
  expect((await fetchAs(realm, location, { method: "HEAD", headers: version })).status).toBe(401);
  expect((await fetchAs(realm, "/api/v1/tus/", { method: "POST", headers: version })).status).toBe(401);
  expect(await offsetOf(hamlet, location)).toBe(0);
});

test("of two requests that continue at the same offset, the slower one is refused", async () => {
  const { admin } = await newRealm();
  const location = locationOf(await begin(admin, 4));

  const answers = await Promise.all(["aaaa", "bbbb"].map((body) => append(admin, location, 0, body)));

  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, 409]);
  const { attachments } = success(await admin.call(getAttachments, {}));
  expect(attachments).toHaveLength(1);
  const fetched = await fetchAs(admin, `/user_uploads/${attachments[0]?.path_id}`);
  expect(["aaaa", "bbbb"]).toContain(await fetched.text());
});

test("what arrived before the connection broke is kept", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const location = locationOf(await begin(admin, 10));

  await appendTo(realm.ctx, await rowOf(realm, location), broken("0123"));

  expect(await offsetOf(admin, location)).toBe(4);
  expect((await append(admin, location, 4, "456789")).status).toBe(200);
});

test("a removed upload is gone, and so is an expired one", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const [removed, expired] = [locationOf(await begin(admin, 4)), locationOf(await begin(admin, 4))];
  await append(admin, expired, 0, "01");
  const id = expired.split("/").at(-1) ?? "";
  const [part] = await partsOf(realm, expired);
  await sql`update resumable_uploads set expires_at = now() - interval '1 minute' where id = ${id}`.execute(
    realm.ctx.db,
  );

  expect((await fetchAs(admin, removed, { method: "DELETE", headers: version })).status).toBe(204);
  expect(await offsetOf(admin, removed)).toBe(404);
  expect(await offsetOf(admin, expired)).toBe(404);
  expect((await append(admin, expired, 2, "23")).status).toBe(404);
  await removeExpiredUploads(realm.ctx);
  await expect.poll(() => realm.ctx.files.get(part ?? "")).toBeUndefined();
});

test("an upload whose last step was lost is finished when its client asks for the offset", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const location = locationOf(await begin(admin, 4));
  await append(admin, location, 0, "0123");
  const id = location.split("/").at(-1) ?? "";
  // As if the process had died between the last part and the file.
  await realm.ctx.files.putStream(`parts/${id}/all`, oneChunk("0123"), "text/plain");
  await sql`delete from attachments where realm_id = ${realm.id}`.execute(realm.ctx.db);
  await sql`update resumable_uploads set parts = array[${`parts/${id}/all`}] where id = ${id}`.execute(realm.ctx.db);

  await Promise.all([offsetOf(admin, location), offsetOf(admin, location)]);

  const { attachments } = success(await admin.call(getAttachments, {}));
  expect(attachments).toHaveLength(1);
  expect(await statusFor(admin, `/user_uploads/${attachments[0]?.path_id}`)).toBe(200);
});

const oneChunk = async function* (text: string) {
  yield Buffer.from(text);
};

test("tiny parts are refused after a few, and nothing of them is stored", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const location = locationOf(await begin(admin, 300_000));

  const statuses: number[] = [];
  for (let offset = 0; offset < 60; offset++) statuses.push((await append(admin, location, offset, "x")).status);

  expect(statuses.filter((status) => status === 204)).toHaveLength(16);
  expect(new Set(statuses)).toEqual(new Set([204, 400, 409]));
  expect(await partsOf(realm, location)).toHaveLength(16);
});

test("parts of the minimum size are accepted after tiny ones, and the last part may be small", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const part = "y".repeat(64 * 1024);
  const location = locationOf(await begin(admin, 16 + 2 * part.length + 3));
  for (let offset = 0; offset < 16; offset++) await append(admin, location, offset, "x");

  const refused = await append(admin, location, 16, "x");
  const first = await append(admin, location, 16, part);
  const second = await append(admin, location, 16 + part.length, part);
  const last = await append(admin, location, 16 + 2 * part.length, "end");

  expect([refused.status, first.status, second.status, last.status]).toEqual([400, 204, 204, 200]);
  const { url } = (await last.json()) as { url: string };
  expect(await (await fetchAs(admin, url)).text()).toBe(`${"x".repeat(16)}${part}${part}end`);
});

test("of many uploads started concurrently on two nodes, at most a hundred are accepted", async () => {
  const { admin } = await newRealm();

  const answers = await Promise.all(Array.from({ length: 130 }, () => begin(admin, 10)));

  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(30);
});

test("an upload started and continued by the previous release is one file, whichever release continues it", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const id = `old-${realm.id}`.padEnd(24, "x");
  const pathId = `${realm.id}/ab/${id}/old.txt`;
  await realm.ctx.files.putStream(`parts/${id}/0`, oneChunk("old "), "text/plain");
  await realm.ctx.files.putStream(`parts/${id}/2`, oneChunk("older "), "text/plain");
  await sql`
    insert into resumable_uploads (id, realm_id, owner_id, file_name, content_type, size, received, parts, path_id, expires_at)
    values (${id}, ${realm.id}, ${admin.id}, 'old.txt', 'text/plain', 17, 4, array[${`parts/${id}/0`}], ${pathId},
      now() + interval '1 hour')`.execute(realm.ctx.db);
  const location = `/api/v1/tus/${id}`;

  await append(admin, location, 4, "new ");
  // By a process of the previous release.
  await sql`
    update resumable_uploads set received = 14, parts = array_append(parts, ${`parts/${id}/2`})
    where id = ${id}`.execute(realm.ctx.db);
  const last = await append(admin, location, 14, "end");

  expect(last.status).toBe(200);
  expect(await (await fetchAs(admin, `/user_uploads/${pathId}`)).text()).toBe("old new older end");
});

test("announced uploads count against a user's quota until they are removed", async () => {
  const realm = await newRealm();
  const user = await realm.user("hamlet");
  const quota = realm.ctx.config.userUploadQuotaMebibytes * 1024 ** 2;
  await sql`insert into user_upload_space (user_id, bytes) values (${user.id}, ${quota - 100})`.execute(realm.ctx.db);

  const fits = await begin(user, 60);
  const tooMuch = await begin(user, 60);
  await fetchAs(user, locationOf(fits), { method: "DELETE", headers: version });
  const afterwards = await begin(user, 60);

  expect([fits.status, tooMuch.status, afterwards.status]).toEqual([201, 413, 201]);
});
