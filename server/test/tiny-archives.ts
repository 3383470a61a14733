/** Small archives for tests, honest ones and others. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { tar } from "../src/platform/tar.ts";

export interface ZipOptions {
  /** What the archive says the size is. */
  size?: number;
  mode?: number;
  flags?: number;
  isStored?: boolean;
}

export type ZipContent = readonly (readonly [name: string | Buffer, data: string | Buffer, options?: ZipOptions])[];

const write = (name: string, data: Buffer): string => {
  const path = join(mkdtempSync(join(tmpdir(), "skein-archive-")), name);
  writeFileSync(path, data);
  return path;
};

/** The bytes of a zip archive. */
export function zipOf(content: ZipContent): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const [given, data, { size, mode = 0o100644, flags = 0, isStored = false } = {}] of content) {
    const name = Buffer.from(given as string); // or bytes, which are copied
    const raw = Buffer.from(data as string);
    const packed = isStored ? raw : deflateRawSync(raw);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? raw.length, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from("PK\u0003\u0004", "latin1"), common, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(position, 10);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0003", "latin1"), common, rest, name);
    position += 30 + name.length + packed.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(content.length, 8);
  end.writeUInt16LE(content.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...parts, central, end]);
}

/** The path of a zip archive. */
export const writeZip = (content: ZipContent): string => write("export.zip", zipOf(content));

export const writeBytes = (name: string, data: Buffer): string => write(name, data);

/** The path of a compressed tar archive. */
export async function writeTarGz(files: Record<string, string | Buffer>): Promise<string> {
  async function* content() {
    for (const [path, data] of Object.entries(files)) {
      const bytes = Buffer.from(data as string); // or bytes, which are copied
      yield { path, size: bytes.length, modifiedAt: new Date(0), content: [bytes] };
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar(content())) chunks.push(chunk);
  return write("export.tar.gz", gzipSync(Buffer.concat(chunks)));
}
