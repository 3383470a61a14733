import { crc32, deflateSync } from "node:zlib";
import { getAttachments } from "@skein/api/uploads.ts";
import sharp from "sharp";
import { expect, test } from "vitest";
import { fetchAs, statusFor, tryUpload, uploadAs } from "../../../../test/files.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { messageFor, sendDirect } from "../../../../test/actions.ts";
import { claimedType, deliveryOf } from "./content-type.ts";
import { nameInPath, shownName } from "./file-name.ts";
import { readRange } from "./serve-file.ts";

/** How a browser would treat it: the type, and whether it is shown. */
async function delivered(user: TestUser, file: { name: string; type?: string; content: string | Buffer }) {
  const url = await uploadAs(user, file);
  const answer = await fetchAs(user, url);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none';.* sandbox$/);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.equals(Buffer.from(file.content))).toBe(true);
  const disposition = answer.headers.get("content-disposition") ?? "";
  return { url, type: answer.headers.get("content-type"), shown: disposition.split(";", 1)[0] };
}

const saved = { type: "application/octet-stream", shown: "attachment" };
const script = "<script>alert(document.domain)</script>";
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">${script}</svg>`;

test.each([
  ["a vector graphic with a script", { name: "a.svg", type: "image/svg+xml", content: svg }],
  ["the same under the name and type of a picture", { name: "a.png", type: "image/png", content: svg }],
  ["a web page", { name: "a.html", type: "text/html", content: script }],
  ["the same without a type", { name: "a.html", content: script }],
  [
    "the same with a type in capitals and a charset",
    { name: "a.html", type: "Text/HTML; charset=utf-8", content: script },
  ],
  ["a page as XML", { name: "a.xhtml", type: "application/xhtml+xml", content: script }],
  ["a style sheet that makes a page", { name: "a.xml", type: "text/xml", content: `<?xml version="1.0"?>${script}` }],
  ["a script", { name: "a.js", type: "text/javascript", content: "alert(1)" }],
  ["a web archive", { name: "a.mht", type: "multipart/related", content: script }],
  ["a type nobody knows", { name: "a", type: "x-made/up", content: script }],
  ["an HTML page declared as an image", { name: "a.gif", type: "image/gif", content: `GIF89a/*${script}*/` }],
  ["a picture of one byte", { name: "a.png", type: "image/png", content: Buffer.from([0x89]) }],
  [
    "an image that declares a huge size and is empty",
    { name: "a.png", type: "image/png", content: png(60_000, 60_000) },
  ],
])("%s is downloaded as untyped bytes", async (_, file) => {
  const { admin } = await newRealm();

  expect(await delivered(admin, file)).toMatchObject(saved);
});

test("a document keeps its type and is downloaded, not opened", async () => {
  const { admin } = await newRealm();

  const pdf = { name: "a.pdf", type: "application/pdf", content: "%PDF-1.7" };
  expect(await delivered(admin, pdf)).toMatchObject({ type: "application/pdf", shown: "attachment" });
});

test("an image with a script appended is an image; it is downloaded on request", async () => {
  const { admin } = await newRealm();
  const picture = await sharp({ create: { width: 2, height: 2, channels: 3, background: "red" } })
    .gif()
    .toBuffer();
  const both = Buffer.concat([picture, Buffer.from(script)]);

  // The content counts, not the declared type.
  const { url, ...shown } = await delivered(admin, { name: "a.jpg", type: "image/jpeg", content: both });

  expect(shown).toEqual({ type: "image/gif", shown: "inline" });
  const download = await fetchAs(admin, url.replace("/user_uploads/", "/user_uploads/download/"));
  expect(download.headers.get("content-disposition")).toMatch(/^attachment;/);
});

test("a small file that unpacks to a huge image is neither read nor shown", async () => {
  const realm = await newRealm();
  const bomb = await sharp({
    create: { width: 16_000, height: 16_000, channels: 3, background: "red" },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  expect(bomb.length).toBeLessThan(5 * 1024 ** 2);

  const { url, ...shown } = await delivered(realm.admin, { name: "bomb.png", type: "image/png", content: bomb });

  expect(shown).toEqual(saved);
  const id = await sendDirect(realm.admin, [realm.admin], { content: `[bomb](${url})` });
  expect((await messageFor(realm.admin, id)).content).not.toContain("<img");
  expect(await statusFor(realm.admin, url.replace("uploads/", "uploads/thumbnail/") + "/840x560.webp")).toBe(404);
});

test("an image with missing pixels has no thumbnail", async () => {
  const { admin } = await newRealm();
  const url = await uploadAs(admin, { name: "a.png", type: "image/png", content: png(3000, 2000) });

  expect(await statusFor(admin, url.replace("uploads/", "uploads/thumbnail/") + "/840x560.webp")).toBe(404);
});

test.each([
  ["../../../etc/passwd", "passwd", "passwd"],
  [String.raw`C:\fakepath\..\a b.txt`, "a b.txt", "a-b.txt"],
  ["..", "uploaded-file", "uploaded-file"],
  ["", "uploaded-file", "uploaded-file"],
  [".htaccess", ".htaccess", "uploaded-file.htaccess"],
  ["a\0b\r\nX: y.txt", "abX: y.txt", "abX-y.txt"],
  ["a\u202Egnp.exe", "agnp.exe", "agnp.exe"],
  ["Ärger & Größe.PNG", "Ärger & Größe.PNG", "Arger-Gro-e.PNG"],
  ["日本.txt", "日本.txt", "uploaded-file.txt"],
  ['a"><script>.html', 'a"><script>.html', "a-script.html"],
  ["%2e%2e%2fx", "%2e%2e%2fx", "2e-2e-2fx"],
  [`${"a".repeat(400)}.txt`, "a".repeat(255), "a".repeat(100)],
])("a file called %j", (given, shown, inPath) => {
  expect(shownName(given)).toBe(shown);
  expect(nameInPath(shownName(given))).toBe(inPath);
});

test("a file name with path traversal leads nowhere", async () => {
  const realm = await newRealm();
  const { admin } = realm;

  const answer = await tryUpload(admin, { name: '../../x"; filename="y\r\nSet-Cookie: a=b.txt' });
  const url = String(answer["url"]);

  expect(url.split("/")).toHaveLength(6);
  const fetched = await fetchAs(admin, url);
  expect(fetched.status).toBe(200);
  expect(fetched.headers.get("set-cookie")).toBeNull();
  for (const path of [
    `/user_uploads/${realm.id}/../../etc/passwd`,
    `/user_uploads/${realm.id}/%2e%2e/%2e%2e/etc/passwd`,
    `/user_uploads/${realm.id}/..%2f..%2fetc%2fpasswd`,
    `/user_uploads/download/${realm.id}/..%2f..%2fx`,
    `/user_uploads/thumbnail/${realm.id}/..%2f..%2fx/840x560.webp`,
    `/user_uploads/${realm.id}/%00`,
    `/user_uploads/${realm.id}/`,
    url.replace(`/${realm.id}/`, `/0${realm.id}/`),
    `${url}/`,
  ])
    expect([path, (await fetchAs(admin, path)).status]).toEqual([path, expect.toBeOneOf([400, 404])]);
  expect(success(await admin.call(getAttachments, {})).attachments).toHaveLength(1);
});

test.each([
  ["", "a.PNG", "image/png"],
  ["application/octet-stream", "a.txt", "text/plain"],
  ["image/png\r\nX: y", "a", "application/octet-stream"],
  ["text/plain; charset=x", "a.html", "text/plain"],
])("the declared type %j with the name %j becomes %s", (declared, name, type) => {
  expect(claimedType(declared, name)).toBe(type);
});

test("types that browsers show keep their own type", () => {
  expect(deliveryOf("video/mp4")).toEqual({ type: "video/mp4", isShown: true });
  expect(deliveryOf("image/svg+xml")).toEqual({ type: "application/octet-stream", isShown: false });
});

test.each([
  [undefined, undefined],
  ["bytes=0-0", { from: 0, to: 0 }],
  ["bytes=-", undefined],
  ["bytes=-0", "outside"],
  ["bytes=4-2", undefined],
  ["bytes=-999", { from: 0, to: 9 }],
  ["lines=1-2", undefined],
  [`bytes=${"9".repeat(40)}-`, undefined],
])("the range %j of ten bytes", (asked, range) => {
  expect(readRange(asked, 10)).toEqual(range);
});

/** An image header that declares this size, with next to nothing behind it. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.alloc(1))), chunk("IEND")]);
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
