import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { BrokenFile } from "../archive/archive.ts";
import { Binary, bsonDocuments } from "./bson.ts";

const element = (type: number, name: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), body]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
};
const document = (...elements: Buffer[]): Buffer => {
  const body = Buffer.concat([...elements, Buffer.from([0])]);
  return Buffer.concat([int32(body.length + 4), body]);
};
const text = (value: string): Buffer => Buffer.concat([int32(Buffer.byteLength(value) + 1), Buffer.from(`${value}\0`)]);

async function documentsOf(bytes: Buffer, chunkSize: number): Promise<object[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  );
  const found: object[] = [];
  for await (const some of bsonDocuments(Readable.from(chunks) as AsyncIterable<Buffer>))
    found.push(...some.map(({ value, start }) => ({ ...value, start })));
  return found;
}

test("documents are read one after the other, however they are divided into chunks", async () => {
  const first = document(
    element(0x02, "msg", text("港")),
    element(0x08, "yes", Buffer.from([1])),
    element(0x03, "u", document(element(0x10, "n", int32(7)))),
    element(0x04, "list", document(element(0x10, "0", int32(1)), element(0x0a, "1", Buffer.alloc(0)))),
  );
  const second = document(
    element(0x09, "ts", Buffer.from([0xe8, 3, 0, 0, 0, 0, 0, 0])),
    element(0x07, "_id", Buffer.alloc(12, 0xab)),
    element(0x05, "data", Buffer.concat([int32(2), Buffer.from([0, 1, 2])])),
  );

  for (const size of [1, 7, 1000])
    expect(await documentsOf(Buffer.concat([first, second]), size)).toEqual([
      { start: 0, msg: "港", yes: true, u: { n: 7 }, list: [1, null] },
      { start: first.length, ts: 1000, _id: "ab".repeat(12), data: expect.any(Binary) },
    ]);
});

test.for([
  ["nothing like BSON", Buffer.from("not bson at all, only words")],
  ["an end in the middle", document(element(0x02, "a", text("b"))).subarray(0, -3)],
  ["a text longer than its document", document(element(0x02, "a", Buffer.concat([int32(9999), Buffer.from("b\0")])))],
  ["a negative size", document(element(0x05, "a", Buffer.concat([int32(-5), Buffer.from([0])])))],
] as const)("%s is broken", async ([, bytes]) => {
  await expect(documentsOf(Buffer.from(bytes), 1000)).rejects.toThrow(BrokenFile);
});
