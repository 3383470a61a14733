import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { tar, type TarFile } from "./tar.ts";

const at = new Date("2024-05-06T07:08:09Z");

const file = (path: string, ...pieces: string[]): TarFile => ({
  path,
  size: Buffer.byteLength(pieces.join("")),
  modifiedAt: at,
  content: pieces.map((piece) => Buffer.from(piece)),
});

async function* each<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

/** The archive's content according to another program. */
async function unpack(files: TarFile[]): Promise<(path: string) => Promise<string>> {
  const folder = await mkdtemp(join(tmpdir(), "skein-tar-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "archive.tar"), tar(each(files)));
  await promisify(execFile)("tar", ["-xf", "archive.tar"], { cwd: folder });
  return (path) => readFile(join(folder, path), "utf8");
}

test("another program extracts the same files", async () => {
  const long = `${"folder/".repeat(20)}${"n".repeat(120)}.txt`;
  const read = await unpack([
    file("empty.txt"),
    file("a/block.txt", "x".repeat(512)),
    file("a/pieces.txt", "one ", "two ", "three"),
    file(long, "at the end of a long path"),
    file("größe.txt", "ä"),
  ]);

  expect(await read("empty.txt")).toBe("");
  expect(await read("a/block.txt")).toBe("x".repeat(512));
  expect(await read("a/pieces.txt")).toBe("one two three");
  expect(await read(long)).toBe("at the end of a long path");
  expect(await read("größe.txt")).toBe("ä");
});

test.each([
  ["longer", 3],
  ["shorter", 9],
])("a file that is %s than it was said to be ends the archive with an error", async (_, size) => {
  await expect(unpack([{ ...file("a.txt", "12345"), size }])).rejects.toThrow("a.txt does not have its declared size");
});

test("a file larger than the old format allows has its size in a pax header", async () => {
  const size = 9 * 1024 ** 3;
  const chunks = tar(each([{ ...file("huge.bin"), size }]));
  const [first, second] = [await chunks.next(), await chunks.next()];

  expect(Buffer.from(first.value ?? []).toString("latin1", 156, 157)).toBe("x");
  expect(Buffer.from(second.value ?? []).toString()).toBe(`19 size=${size}\n`);
});
