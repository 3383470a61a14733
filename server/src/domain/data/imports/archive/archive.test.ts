import { mkdtempSync, symlinkSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync, gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeBytes, writeTarGz, writeZip, type ZipContent, zipOf } from "../../../../../test/tiny-archives.ts";
import { ArchiveRefused } from "../source.ts";
import { BrokenFile } from "./archive.ts";
import { openFolder } from "./folder.ts";
import { jsonItems } from "./json-items.ts";
import { lines } from "./lines.ts";
import { openTar } from "./tar.ts";
import { openZip } from "./zip.ts";

const none = () => undefined;
const honest = ["users.json", "[]"] as const;

async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("a zip's files can be read whole and as streams, small ones and large ones", async () => {
  const large = Buffer.alloc(9_000_000, "0123456789abcdef");
  for (let index = 0; index < large.length; index += 1000) large.writeUInt32LE((index * 2_654_435_761) >>> 0, index);
  const path = writeZip([
    ["a/one.txt", "one"],
    ["a/", "", { isStored: true }],
    ["stored", "two", { isStored: true }],
    ["large", large],
  ]);

  const archive = await openZip(path);

  expect([...archive.files.keys()]).toEqual(["a/one.txt", "stored", "large"]);
  expect((await archive.read("a/one.txt", 3)).toString()).toBe("one");
  expect((await bytesOf(await archive.stream("stored"))).toString()).toBe("two");
  expect((await bytesOf(await archive.stream("large"))).equals(large)).toBe(true);
  (await archive.stream("large")).destroy(); // a reader that stops early
  expect((await archive.read("a/one.txt", 3)).toString()).toBe("one");
  await expect(archive.read("a/one.txt", 2)).rejects.toThrow(BrokenFile);
  await expect(archive.read("absent", 2)).rejects.toThrow(BrokenFile);
  await archive.close();
});

test("a zip's names are UTF-8 if they can be, else code page 437, whatever the flag says", async () => {
  const path = writeZip([
    ["港/a", ""],
    ["港/b", "", { flags: 0x800 }],
    [Buffer.from("caf\x82", "latin1"), "", { flags: 0x800 }],
  ]);

  const archive = await openZip(path);

  expect([...archive.files.keys()]).toEqual(["港/a", "港/b", "café"]);
  await archive.close();
});

test("what file managers leave behind is passed over", async () => {
  const archive = await openZip(
    writeZip([honest, ["__MACOSX/._users.json", "\0"], [".DS_Store", "\0"], ["a/.DS_Store", ""], ["a/._b", ""]]),
  );

  expect([...archive.files.keys()]).toEqual(["users.json"]);
  await archive.close();
});

const hostile: Record<string, ZipContent> = {
  "a path upwards": [honest, ["../../escaped.json", "[]"]],
  "a path upwards further on": [honest, ["calm/../../escaped.json", "[]"]],
  "an absolute path": [honest, ["/tmp/escaped.json", "[]"]],
  "a backslash": [honest, ["..\\escaped.json", "[]"]],
  "a drive": [honest, ["C:/escaped.json", "[]"]],
  "a NUL byte": [honest, ["a.json\0.txt", "[]"]],
  "a link": [honest, ["a.json", "/etc/hostname", { mode: 0o120777, isStored: true }]],
  "an encrypted file": [honest, ["a.json", "x", { flags: 1 }]],
  "a small file that says it is smaller": [honest, ["a.json", " ".repeat(1000), { size: 2 }]],
  "a large file that says it is smaller": [honest, ["a.json", " ".repeat(8_000_000), { size: 5_000_000 }]],
  "a stored file that says it is larger": [honest, ["a.json", "x", { size: 9, isStored: true }]],
  "a bomb": [honest, ["a.json", Buffer.alloc(60 * 1024 * 1024, 0x20)]],
};

test.for(Object.entries(hostile))("a zip with %s is refused", async ([, content]) => {
  await expect(openZip(writeZip(content))).rejects.toThrow(ArchiveRefused);
});

test("a zip whose files share their data is refused", async () => {
  const bytes = zipOf([["a", "x".repeat(100_000), { isStored: true }]]);
  const directory = bytes.indexOf("PK\u0001\u0002", 0, "latin1");
  const entry = bytes.subarray(directory, bytes.length - 22);
  const end = Buffer.from(bytes.subarray(bytes.length - 22));
  end.writeUInt16LE(3, 8);
  end.writeUInt16LE(3, 10);
  end.writeUInt32LE(3 * entry.length, 12);
  const path = writeBytes("overlapping.zip", Buffer.concat([bytes.subarray(0, directory), entry, entry, entry, end]));

  await expect(openZip(path)).rejects.toThrow("overlap");
});

test("a zip without its end is refused, one with a damaged file is not", async () => {
  const bytes = zipOf([honest, ["a.json", "many words of no importance, many words"]]);

  await expect(openZip(writeBytes("cut.zip", bytes.subarray(0, -10)))).rejects.toThrow(ArchiveRefused);

  bytes.fill(0xff, bytes.indexOf("a.json") + 8, bytes.indexOf("a.json") + 20);
  const archive = await openZip(writeBytes("damaged.zip", bytes));
  await expect(archive.read("a.json", 100)).rejects.toThrow(BrokenFile);
  expect((await archive.read("users.json", 100)).toString()).toBe("[]");
  await archive.close();
});

test("a tar archive's files can be read, also with long names", async () => {
  const long = `${"folder/".repeat(20)}港.txt`;
  const path = await writeTarGz({ "root/a.json": "[1]", [long]: "long", "root/empty": "" });

  for (const given of [path, writeBytes("plain.tar", gunzipSync(readFileSync(path)))]) {
    const archive = await openTar(given, none);
    expect([...archive.files.keys()]).toEqual(["root/a.json", long, "root/empty"]);
    expect((await archive.read(long, 10)).toString()).toBe("long");
    expect((await bytesOf(await archive.stream("root/a.json"))).toString()).toBe("[1]");
    expect((await bytesOf(await archive.stream("root/empty"))).toString()).toBe("");
    await archive.close();
  }
});

/** A tar archive with one file whose header is changed. */
async function changedTar(change: (header: Buffer) => void): Promise<string> {
  const bytes = gunzipSync(readFileSync(await writeTarGz({ "root/a.json": "[1]" })));
  change(bytes);
  bytes.fill(0x20, 148, 156);
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return writeBytes("changed.tar.gz", gzipSync(bytes));
}

test.for(["1", "2", "3", "6", "S"])("a tar archive with an entry of type %s is refused", async (type) => {
  const path = await changedTar((header) => header.write(type, 156, "latin1"));

  await expect(openTar(path, none)).rejects.toThrow(ArchiveRefused);
});

test("a tar archive that leads out of itself, that is cut off, or that inflates too much is refused", async () => {
  const cut = readFileSync(await writeTarGz({ "root/a.json": "[1]" })).subarray(0, -10);

  await expect(openTar(await writeTarGz({ "../a.json": "[]" }), none)).rejects.toThrow(ArchiveRefused);
  await expect(openTar(writeBytes("cut.tar.gz", cut), none)).rejects.toThrow(ArchiveRefused);
  await expect(openTar(await writeTarGz({ a: Buffer.alloc(80 * 1024 * 1024) }), none)).rejects.toThrow(ArchiveRefused);
});

test("a folder is an archive, but not with links in it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-folder-"));
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "a", "b.json"), "[2]");
  const archive = await openFolder(folder);
  expect([...archive.files]).toEqual([["a/b.json", { size: 3 }]]);
  expect((await archive.read("a/b.json", 3)).toString()).toBe("[2]");

  symlinkSync("/etc/hostname", join(folder, "link"));
  await expect(openFolder(folder)).rejects.toThrow(ArchiveRefused);
});

async function itemsOf(text: string | Buffer, chunkSize: number): Promise<unknown[]> {
  const bytes = Buffer.from(text as string); // or bytes, which are copied
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  );
  const items: unknown[] = [];
  for await (const some of jsonItems(Readable.from(chunks) as AsyncIterable<Buffer>)) items.push(...some);
  return items;
}

test("a list is read item by item, however it is divided into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(0, 2),
      async (list, size, indent) => {
        const items = await itemsOf(JSON.stringify(list, null, indent), size);
        expect(items).toEqual(JSON.parse(JSON.stringify(list)).map((value: unknown) => ({ key: undefined, value })));
      },
    ),
  );
});

test("the lists of an object are read item by item, other values whole", async () => {
  const given = { zerver_message: [{ id: 1 }, [2, 3], "a]b"], empty: [], count: 7, more: { x: [1] }, last: [null] };
  for (const size of [1, 3, 1000])
    expect(await itemsOf(JSON.stringify(given, null, 1), size)).toEqual([
      { key: "zerver_message", value: { id: 1 } },
      { key: "zerver_message", value: [2, 3] },
      { key: "zerver_message", value: "a]b" },
      { key: "count", value: 7 },
      { key: "more", value: { x: [1] } },
      { key: "last", value: null },
    ]);
});

test.for(["[1, 2", '[{"a": 1}', '{"a": [1]', "[1] 2", "7", "", '[{"a" 1}]', '{"a": nonsense}'])(
  "%j is broken",
  async (text) => {
    await expect(itemsOf(text, 4)).rejects.toThrow(BrokenFile);
  },
);

test("lines are found across chunks, and blank ones are left out", async () => {
  const chunks = ["one\ntw", "o\n\n", "three", " more\n", "last"].map((chunk) => Buffer.from(chunk));
  const found: string[] = [];
  for await (const some of lines(Readable.from(chunks) as AsyncIterable<Buffer>)) found.push(...some.map(String));

  expect(found).toEqual(["one", "two", "three more", "last"]);
});
