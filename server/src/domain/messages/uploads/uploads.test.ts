import { getAttachments, getFileTemporaryUrl, removeAttachment } from "@skein/api/uploads.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { authorizationOf, fetchAs, statusFor, tryUpload, uploadAs } from "../../../../test/files.ts";
import { startNode } from "../../../../test/nodes.ts";
import { newRealm, success } from "../../../../test/realm.ts";
import { uploadKey } from "./file-name.ts";
import { temporaryUrl } from "./temporary-url.ts";

const pathIdOf = (url: string): string => url.slice("/user_uploads/".length);

test("a file comes back to its owner unchanged, from any node, and to nobody else", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const stranger = (await newRealm()).admin;

  const answer = await tryUpload(hamlet, { name: "my notes.txt", type: "text/plain", content: "to be" });

  const path = new RegExp(`^/user_uploads/${realm.id}/[0-9a-f]{2}/[\\w-]{24}/my-notes\\.txt$`);
  expect(answer).toEqual({
    result: "success",
    msg: "",
    url: expect.stringMatching(path),
    uri: answer["url"],
    filename: "my notes.txt",
  });
  const url = String(answer["url"]);
  const fetched = await fetchAs(hamlet, url);
  expect(fetched.status).toBe(200);
  expect(await fetched.text()).toBe("to be");
  expect(fetched.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  for (const other of [realm.admin, reader, stranger]) {
    expect(await statusFor(other, url)).toBe(404);
    expect(await statusFor(other, url.replace("/user_uploads/", "/user_uploads/download/"))).toBe(404);
  }
  expect(await statusFor(realm, url)).toBe(401);
});

test("the owner gets an event about an upload, with the space all files take", async () => {
  const realm = await newRealm();
  const [hamlet, other] = [await realm.user("hamlet"), await realm.user("other")];
  const [queue, others] = [await hamlet.register(["attachment"]), await other.register(["attachment"])];
  await uploadAs(other, { content: "12345" });

  const url = await uploadAs(hamlet, { name: "a.txt", content: "123" });

  const attachment = {
    id: expect.any(Number),
    name: "a.txt",
    path_id: pathIdOf(url),
    size: 3,
    create_time: expect.any(Number),
    messages: [],
  };
  expect(await queue.next()).toEqual({ type: "attachment", op: "add", attachment, upload_space_used: 8 });
  expect(await others.next()).toMatchObject({ type: "attachment", upload_space_used: 5 });
  expect(await others.all()).toEqual([]);
  const listed = success(await hamlet.call(getAttachments, {}));
  expect(listed).toMatchObject({ attachments: [attachment], upload_space_used: 8 });
  expect(Math.abs((listed.attachments[0]?.create_time ?? 0) - Date.now() / 1000)).toBeLessThan(600);
});

test("every one of many concurrent uploads is counted", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");

  await Promise.all(Array.from({ length: 10 }, () => uploadAs(hamlet, { content: "1234567" })));

  const { attachments, upload_space_used } = success(await hamlet.call(getAttachments, {}));
  expect(upload_space_used).toBe(70);
  expect(new Set(attachments.map(({ path_id }) => path_id)).size).toBe(10);
});

test("registration reports the maximum file size; a larger file is refused and nothing of it is kept", async () => {
  const node = await startNode({ environment: { SKEIN_MAX_UPLOAD_MB: "1", SKEIN_ROLES: "api" } });
  const realm = await newRealm([node]);
  const queue = await realm.admin.register([], ["realm"]);
  const mebibyte = 1024 ** 2;

  const tooLarge = await tryUpload(realm.admin, { content: Buffer.alloc(mebibyte + 1) });
  const largest = await tryUpload(realm.admin, { content: Buffer.alloc(mebibyte) });

  expect(queue.state.max_file_upload_size_mib).toBe(1);
  expect(tooLarge).toEqual({
    result: "error",
    msg: "Uploaded file is larger than the allowed limit of 1 MiB",
    code: "BAD_REQUEST",
  });
  expect(largest).toMatchObject({ result: "success" });
  expect(success(await realm.admin.call(getAttachments, {})).upload_space_used).toBe(mebibyte);
});

test("a request must contain exactly one file", async () => {
  const realm = await newRealm();
  const { admin } = realm;

  expect(await admin.upload("/user_uploads", {})).toMatchObject({ msg: "You must specify a file to upload" });
  expect(await admin.request("POST", "/user_uploads")).toMatchObject({ msg: "You must specify a file to upload" });
  expect(await admin.upload("/user_uploads", { "a.txt": Buffer.from("a"), "b.txt": Buffer.from("b") })).toMatchObject({
    msg: "You may only upload one file at a time",
  });
  expect(success(await admin.call(getAttachments, {}))).toMatchObject({ attachments: [], upload_space_used: 0 });
});

test("an upload that breaks off does not create a file", async () => {
  const realm = await newRealm();
  const { admin } = realm;
  const broken = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhalf';

  const answer = await fetchAs(admin, "/api/v1/user_uploads", {
    method: "POST",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: broken,
  });

  expect(answer.status).toBe(400);
  expect(success(await admin.call(getAttachments, {}))).toMatchObject({ attachments: [], upload_space_used: 0 });
});

test("nothing can be uploaded without an account", async () => {
  const realm = await newRealm();
  const body = new FormData();
  body.append("f", new Blob(["x"]), "a.txt");

  expect((await fetchAs(realm, "/api/v1/user_uploads", { method: "POST", body })).status).toBe(401);
});

test("a range of a file can be requested", async () => {
  const realm = await newRealm();
  const url = await uploadAs(realm.admin, { content: "0123456789" });
  const part = async (range: string) => {
    const answer = await fetchAs(realm.admin, url, { headers: { range } });
    return [answer.status, answer.headers.get("content-range"), await answer.text()];
  };

  expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
  expect(await part("bytes=8-")).toEqual([206, "bytes 8-9/10", "89"]);
  expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
  expect(await part("bytes=5-99")).toEqual([206, "bytes 5-9/10", "56789"]);
  expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""]);
  expect(await part("bytes=0-1,4-5")).toEqual([200, null, "0123456789"]);
  const head = await fetchAs(realm.admin, url, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
});

test("a browser must revalidate a cached file before it shows it again", async () => {
  const realm = await newRealm();
  const reader = await realm.user("reader");
  const url = await uploadAs(realm.admin);
  const first = await fetchAs(realm.admin, url);
  const etag = first.headers.get("etag") ?? "";

  const headers = { "if-none-match": etag };
  expect(first.headers.get("cache-control")).toBe("private, no-cache");
  expect((await fetchAs(realm.admin, url, { headers })).status).toBe(304);
  expect((await fetchAs(reader, url, { headers })).status).toBe(404);
});

test("an API key in the URL works like credentials, for its own organization", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  const url = await uploadAs(realm.admin);

  expect(await statusFor(realm, `${url}?api_key=${realm.admin.apiKey}`)).toBe(200);
  for (const [where, key] of [
    [realm, "x".repeat(32)],
    [other, realm.admin.apiKey],
    [realm, other.admin.apiKey],
  ] as const) {
    const refused = await fetchAs(where, `${url}?api_key=${key}`);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toEqual({ result: "error", msg: "Invalid API key", code: "INVALID_API_KEY" });
  }
});

test("a temporary URL gives access to the file without credentials, for a minute", async () => {
  const realm = await newRealm();
  const reader = await realm.user("reader");
  const url = await uploadAs(realm.admin, { content: "to be" });
  const [realmId = "", ...rest] = pathIdOf(url).split("/");
  const asked = { realm_id_str: Number(realmId), filename: rest.join("/") };

  const { url: temporary } = success(await realm.admin.call(getFileTemporaryUrl, asked));
  const asItStands = await realm.admin.request("GET", `/user_uploads/${pathIdOf(url)}`);

  expect(temporary).toMatch(/^\/user_uploads\/temporary\/[^/]+\/note\.txt$/);
  expect(await (await fetchAs(realm, temporary)).text()).toBe("to be");
  expect(asItStands).toMatchObject({ result: "success", url: expect.stringContaining("/temporary/") });
  expect(await reader.call(getFileTemporaryUrl, asked)).toMatchObject({ msg: "File not found." });
  const opened = { path_id: pathIdOf(url), user_id: realm.admin.id };
  const old = temporaryUrl(realm.ctx.secretBox, opened, Date.now() - 61_000);
  expect(await statusFor(realm, old)).toBe(404);
  expect(await statusFor(realm, temporary.replace(/.\/note/, "/note"))).toBe(404);
  expect(await statusFor(realm, "/user_uploads/temporary/x/note.txt")).toBe(404);
});

test("a temporary URL gives no more access than the user who requested it has", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const url = await uploadAs(hamlet);
  const opened = { path_id: pathIdOf(url), user_id: hamlet.id };
  const temporary = temporaryUrl(realm.ctx.secretBox, opened);
  expect(await statusFor(realm, temporary)).toBe(200);

  success((await realm.admin.request("DELETE", `/users/${hamlet.id}`)) as never);

  expect(await statusFor(realm, temporary)).toBe(404);
});

test("an owner can remove a file, others cannot, and it is removed from the store too", async () => {
  const realm = await newRealm();
  const [hamlet, stranger] = [await realm.user("hamlet"), (await newRealm()).admin];
  const url = await uploadAs(hamlet, { content: "123" });
  const { attachments } = success(await hamlet.call(getAttachments, {}));
  const attachment_id = attachments[0]?.id ?? 0;
  const queue = await hamlet.register(["attachment"]);

  for (const other of [realm.admin, stranger])
    expect(await other.call(removeAttachment, { attachment_id })).toMatchObject({ msg: "Invalid attachment" });
  const answers = await Promise.all([0, 1].map((node) => hamlet.on(node).call(removeAttachment, { attachment_id })));

  expect(answers.map((answer) => answer.result).toSorted()).toEqual(["error", "success"]);
  const event = { type: "attachment", op: "remove", attachment: { id: attachment_id }, upload_space_used: 0 };
  expect(await queue.next()).toEqual(event);
  expect(await statusFor(hamlet, url)).toBe(404);
  await expect.poll(() => realm.ctx.files.get(uploadKey(pathIdOf(url)))).toBeUndefined();
});

test("bots for incoming webhooks cannot fetch files", async () => {
  const realm = await newRealm();
  const url = await uploadAs(realm.admin);
  await sql`update users set is_bot = true, bot_type = 2 where id = ${realm.admin.id}`.execute(realm.ctx.db);

  expect(await statusFor(realm.admin, url)).toBe(401);
  expect((await fetchAs(realm, url, { headers: { authorization: authorizationOf(realm.admin) } })).status).toBe(401);
});
