import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { FolderStore } from "./file-store.ts";

/** Inside a parent folder that also belongs to the test. */
const newFolder = async () => join(await mkdtemp(join(inject("scratchFolder"), "file-store-")), "files");

test("a stored file can be read with its content type until it is removed", async () => {
  const files = new FolderStore(await newFolder());
  const bytes = Buffer.from([0, 10, 13, 255]);

  await files.put("emoji/7/a.png", bytes, "image/png");

  expect(await files.get("emoji/7/a.png")).toEqual({ bytes, contentType: "image/png" });
  await files.remove("emoji/7/a.png");
  await files.remove("emoji/7/a.png");
  expect(await files.get("emoji/7/a.png")).toBeUndefined();
});

test("another store on the same folder has the same files", async () => {
  const folder = await newFolder();

  await new FolderStore(folder).put("a", Buffer.from("b"), "text/plain");

  expect((await new FolderStore(folder).get("a"))?.bytes.toString()).toBe("b");
});

test("a file is replaced as a whole, and nothing unfinished is left", async () => {
  const folder = await newFolder();
  const files = new FolderStore(folder);
  const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(100_000, index));

  await Promise.all(contents.map((bytes) => files.put("same", bytes, "image/png")));

  const { bytes } = (await files.get("same")) ?? { bytes: Buffer.alloc(0) };
  expect(contents.some((content) => content.equals(bytes))).toBe(true);
  expect(await readdir(folder)).toEqual(["same"]);
});

test.each([
  "",
  ".",
  "..",
  "../secret",
  "a/../../secret",
  "a/..",
  "/etc/passwd",
  "a//b",
  "a/",
  String.raw`a\..\b`,
  ".hidden",
  "a/.hidden",
  "a\0b",
  "a\nb",
  "ä",
  "a".repeat(201),
  "a/".repeat(250) + "a",
])("%j is not a valid key", async (key) => {
  const folder = await newFolder();
  await writeFile(join(folder, "..", "secret"), "text/plain\nsecret");
  const files = new FolderStore(folder);

  await expect(files.put(key, Buffer.from("x"), "text/plain")).rejects.toThrow("is not a valid file key");
  await expect(files.get(key)).rejects.toThrow("is not a valid file key");
  await expect(files.remove(key)).rejects.toThrow("is not a valid file key");
});

test("a folder has no content", async () => {
  const folder = await newFolder();
  const files = new FolderStore(folder);
  await files.put("a/b", Buffer.from("x"), "text/plain");

  expect(await files.get("a")).toBeUndefined();
  expect(await files.get("a/b/c")).toBeUndefined();
});

test("storing a file replaces a link instead of following it", async () => {
  const folder = await newFolder();
  const outside = join(folder, "..", "outside");
  await writeFile(outside, "untouched");
  await mkdir(folder);
  await symlink(outside, join(folder, "link"));

  await new FolderStore(folder).put("link", Buffer.from("x"), "text/plain");

  expect(await readFile(outside, "utf8")).toBe("untouched");
});

test("a content type cannot contain a second line", async () => {
  const files = new FolderStore(await newFolder());

  await expect(files.put("a", Buffer.from("x"), "text/plain\ntext/html")).rejects.toThrow("one line");
});

const inChunks = async function* (...chunks: (string | Error)[]) {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield Buffer.from(chunk);
  }
};
const readAll = async (body: AsyncIterable<Buffer> | undefined) => {
  const chunks: Buffer[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

test("a streamed file can be read completely, as a stream, and in part", async () => {
  const files = new FolderStore(await newFolder());

  await files.putStream("a", inChunks("0123", "", "456789"), "text/plain");

  expect(await files.get("a")).toEqual({ bytes: Buffer.from("0123456789"), contentType: "text/plain" });
  expect((await files.open("a"))?.contentType).toBe("text/plain");
  expect(await readAll((await files.open("a"))?.body)).toBe("0123456789");
  expect(await readAll((await files.open("a", { from: 3, to: 5 }))?.body)).toBe("345");
  expect(await readAll((await files.open("a", { from: 9, to: 9 }))?.body)).toBe("9");
});

test("an empty file can be read, a missing one cannot", async () => {
  const files = new FolderStore(await newFolder());

  await files.putStream("a", inChunks(), "text/plain");

  expect(await readAll((await files.open("a"))?.body)).toBe("");
  expect(await files.open("b")).toBeUndefined();
  await expect(files.open("../a")).rejects.toThrow("is not a valid file key");
});

test("a stream that fails changes nothing and leaves nothing behind", async () => {
  const folder = await newFolder();
  const files = new FolderStore(folder);
  await files.put("a", Buffer.from("before"), "text/plain");

  await expect(files.putStream("a", inChunks("after", new Error("gone")), "text/plain")).rejects.toThrow("gone");

  expect((await files.get("a"))?.bytes.toString()).toBe("before");
  expect(await readdir(folder)).toEqual(["a"]);
});
