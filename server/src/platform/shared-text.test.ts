import { crc32, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { combineCrc, SharedText, toBuffers, toGzip } from "./shared-text.ts";

const lengths = [0, 1, 2, 255, 256, 65_537];
const textOf = (length: number): string => Array.from({ length }, (_, n) => "aäb☂c".at(n % 5)).join("");

test("the checksum of two texts follows from theirs", () => {
  for (const one of lengths)
    for (const other of lengths) {
      const [first, second] = [textOf(one), textOf(other).toUpperCase()];
      const length = Buffer.byteLength(second);
      expect(combineCrc(crc32(first), crc32(second), length), `${one} ${other}`).toBe(crc32(first + second));
    }
});

test("pieces that were compressed apart are one gzip file with the whole text", async () => {
  const shared = lengths.map((length) => new SharedText(textOf(length)));
  for (const pieces of [
    [],
    ["own"],
    [...shared],
    ["{", ...shared, "own ", "text", ...shared, "}"],
    ["☂".repeat(70_000)],
  ]) {
    const whole = pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
    const gzip = Buffer.concat(await toGzip(pieces));
    expect(gunzipSync(gzip).toString()).toBe(whole);
    // A second member would be ignored by some clients.
    expect(gzip.readUInt32LE(gzip.length - 8)).toBe(crc32(whole));
    expect(Buffer.concat(toBuffers(pieces)).toString()).toBe(whole);
  }
});

test("a shared text is compressed once", async () => {
  const shared = new SharedText(textOf(1000));
  expect(await shared.deflated()).toBe(await shared.deflated());
});
