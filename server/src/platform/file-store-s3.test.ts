import { afterAll, beforeAll, expect, test } from "vitest";
import { S3Server } from "../../test/s3-server.ts";
import { S3Store } from "./file-store-s3.ts";

let server: S3Server;
let files: S3Store;
const settingsOf = ({ bucket, region, endpoint, keys }: S3Server) => ({ bucket, region, endpoint, ...keys });
beforeAll(async () => {
  server = await S3Server.start();
  files = new S3Store(settingsOf(server));
});
afterAll(async () => {
  files.close();
  await server.stop();
});

const mebibyte = 1024 ** 2;
const inChunks = async function* (...chunks: (Buffer | Error)[]) {
  for (const chunk of chunks) {
    if (chunk instanceof Error) throw chunk;
    yield chunk;
  }
};

test("a stored file can be read with its content type until it is removed", async () => {
  const bytes = Buffer.from([0, 10, 13, 255]);

  await files.put("emoji/7/a.png", bytes, "image/png");

  expect(await files.get("emoji/7/a.png")).toEqual({ bytes, contentType: "image/png" });
  await files.remove("emoji/7/a.png");
  await files.remove("emoji/7/a.png");
  expect(await files.get("emoji/7/a.png")).toBeUndefined();
  expect(await files.open("emoji/7/a.png")).toBeUndefined();
});

test("a range of a file is fetched as a range", async () => {
  await files.put("a", Buffer.from("0123456789"), "text/plain");

  const opened = await files.open("a", { from: 3, to: 5 });

  expect((await opened?.body.toArray())?.join("")).toBe("345");
  expect(opened?.contentType).toBe("text/plain");
});

test.each([
  ["nothing", []],
  ["a little", [10]],
  ["exactly a part", [8 * mebibyte]],
  ["a byte more than a part", [8 * mebibyte, 1]],
  ["many chunks of several parts", Array.from({ length: 41 }, () => mebibyte / 2)],
])("%s can come in chunks", async (_, sizes) => {
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index));

  await files.putStream("large", inChunks(...chunks), "video/mp4");

  const found = await files.get("large");
  expect(found?.contentType).toBe("video/mp4");
  expect(found?.bytes.equals(Buffer.concat(chunks))).toBe(true);
  expect(server.uploads.size).toBe(0);
});

test.each([
  ["early", [Buffer.from("x"), new Error("gone")]],
  ["late", [Buffer.alloc(9 * mebibyte), new Error("gone")]],
])("a stream that breaks off %s changes nothing and leaves nothing behind", async (_, chunks) => {
  await files.put("kept", Buffer.from("before"), "text/plain");

  await expect(files.putStream("kept", inChunks(...chunks), "text/plain")).rejects.toThrow("gone");

  expect((await files.get("kept"))?.bytes.toString()).toBe("before");
  expect(server.uploads.size).toBe(0);
});

test("an upload fails with its own error, even if its parts cannot be removed", async () => {
  server.failing = (request) => request.method === "DELETE";

  const chunks = inChunks(Buffer.alloc(9 * mebibyte), new Error("gone"));
  await expect(files.putStream("kept", chunks, "text/plain")).rejects.toThrow("gone");

  server.failing = () => false;
  expect(server.uploads.size).toBe(1);
  server.uploads.clear();
});

test("parts that cannot be joined are removed", async () => {
  server.failing = (request, url) => request.method === "POST" && url.searchParams.has("uploadId");

  const chunks = inChunks(Buffer.alloc(9 * mebibyte));
  await expect(files.putStream("joined", chunks, "text/plain")).rejects.toThrow(/./);

  server.failing = () => false;
  expect(await files.get("joined")).toBeUndefined();
  expect(server.uploads.size).toBe(0);
});

test("a source is read no faster than it can be sent, and no further once sending fails", async () => {
  server.failing = ({ method }, url) => method === "PUT" && url.searchParams.get("partNumber") === "2";
  let read = 0;
  let isClosed = false;
  const endless = async function* () {
    try {
      for (;;) yield Buffer.alloc(mebibyte, read++);
    } finally {
      isClosed = true;
    }
  };

  await expect(files.putStream("endless", endless(), "text/plain")).rejects.toThrow(/./);

  server.failing = () => false;
  expect(read).toBeLessThan(40);
  expect(isClosed).toBe(true);
  expect(server.uploads.size).toBe(0);
});

test.each(["", "../secret", "a/../b", "/a", "a//b", ".hidden", "ä"])("%j is not a valid key", async (key) => {
  await expect(files.put(key, Buffer.from("x"), "text/plain")).rejects.toThrow("is not a valid file key");
  await expect(files.get(key)).rejects.toThrow("is not a valid file key");
  await expect(files.remove(key)).rejects.toThrow("is not a valid file key");
});

test("with a wrong secret reading fails with an error, not with a missing file", async () => {
  const wrong = new S3Store({ ...settingsOf(server), secretKey: "guessed" });

  await expect(wrong.get("a")).rejects.toThrow(/./);
  expect(server.refused).toBeGreaterThan(0);
  wrong.close();
});
