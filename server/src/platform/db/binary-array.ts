/**
 * Arrays in PostgreSQL's binary format, which needs neither quoting here nor parsing there. The driver sends a Buffer
 * unchanged and marks it as binary.
 */
const oids = { boolean: 16, bigint: 20, integer: 23, text: 25 } as const;

const headerBytes = 20;

function header(into: Buffer, oid: number, count: number, hasNull: boolean): number {
  into.writeInt32BE(1, 0); // dimensions
  into.writeInt32BE(hasNull ? 1 : 0, 4);
  into.writeInt32BE(oid, 8);
  into.writeInt32BE(count, 12);
  into.writeInt32BE(1, 16); // the first index
  return headerBytes;
}

export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = headerBytes;
  const lengths = values.map((value) => {
    const length = value === null ? -1 : Buffer.byteLength(value);
    bytes += 4 + Math.max(0, length);
    return length;
  });
  const array = Buffer.allocUnsafe(bytes);
  let at = header(array, oids.text, values.length, lengths.includes(-1));
  for (const [index, value] of values.entries()) {
    at = array.writeInt32BE(lengths[index] ?? -1, at);
    if (value !== null) at += array.write(value, at);
  }
  return array;
}

function fixed(oid: number, size: number, write: (array: Buffer, value: number, at: number) => void) {
  return (values: readonly (number | null)[]): Buffer => {
    const array = Buffer.allocUnsafe(headerBytes + values.length * (4 + size));
    let at = header(array, oid, values.length, values.includes(null));
    for (const value of values) {
      at = array.writeInt32BE(value === null ? -1 : size, at);
      if (value === null) continue;
      write(array, value, at);
      at += size;
    }
    return array.subarray(0, at);
  };
}

export const integerArray = fixed(oids.integer, 4, (array, value, at) => array.writeInt32BE(value, at));
export const bigintArray = fixed(oids.bigint, 8, (array, value, at) => array.writeBigInt64BE(BigInt(value), at));
const bytesOfBooleans = fixed(oids.boolean, 1, (array, value, at) => array.writeUInt8(value, at));
export const booleanArray = (values: readonly boolean[]): Buffer => bytesOfBooleans(values.map(Number));
