/**
 * Files in a bucket of an S3-compatible store, under the same keys and with the same promises as in a folder. What does
 * not fit into one request is sent in parts, which the store joins when all have arrived; until then there is no file.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  demandContentType,
  demandKey,
  type ByteRange,
  type FileStore,
  type OpenedFile,
  type StoredFile,
} from "./file-store.ts";

export interface S3Settings {
  bucket: string;
  region: string;
  /** Empty: the service that the region belongs to. */
  endpoint: string;
  /** Both empty: what the machine itself is allowed. */
  accessKey: string;
  secretKey: string;
}

/** No part but the last may be smaller than 5 MiB. */
const partBytes = 8 * 1024 ** 2;

export class S3Store implements FileStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor({ bucket, region, endpoint, accessKey, secretKey }: S3Settings) {
    this.#bucket = bucket;
    this.#client = new S3Client({
      region,
      ...(endpoint === "" ? {} : { endpoint, forcePathStyle: true }),
      ...(accessKey === "" ? {} : { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey } }),
      // Checksums in trailers are not known to all stores that speak the protocol; the signature covers the content.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
  }

  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    demandContentType(contentType);
    await this.#client.send(new PutObjectCommand({ ...this.#place(key), Body: bytes, ContentType: contentType }));
  }

  async putStream(key: string, chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<void> {
    demandContentType(contentType);
    const parts = inParts(chunks);
    const first = await parts.next();
    if (first.done === true || first.value.length < partBytes)
      return this.put(key, first.done === true ? new Uint8Array() : first.value, contentType);
    const place = this.#place(key);
    const { UploadId } = await this.#client.send(
      new CreateMultipartUploadCommand({ ...place, ContentType: contentType }),
    );
    try {
      const sent: CompletedPart[] = [];
      for (let part: IteratorResult<Buffer, undefined> = first; part.done !== true; part = await parts.next()) {
        const PartNumber = sent.length + 1;
        const command = new UploadPartCommand({ ...place, UploadId, PartNumber, Body: part.value });
        sent.push({ PartNumber, ETag: (await this.#client.send(command)).ETag });
      }
      const all = { Parts: sent };
      await this.#client.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: all }));
    } catch (error) {
      await this.#client.send(new AbortMultipartUploadCommand({ ...place, UploadId }));
      throw error;
    }
  }

  async get(key: string): Promise<StoredFile | undefined> {
    const file = await this.open(key);
    return file && { bytes: await buffer(file.body), contentType: file.contentType };
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
    const asked = range ? { Range: `bytes=${range.from}-${range.to}` } : {};
    try {
      const { Body, ContentType = "" } = await this.#client.send(
        new GetObjectCommand({ ...this.#place(key), ...asked }),
      );
      if (!(Body instanceof Readable)) throw new Error("on Node the library gives a stream of Node's");
      return { contentType: ContentType, body: Body };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#place(key)));
  }

  close(): void {
    this.#client.destroy();
  }

  #place(key: string): { Bucket: string; Key: string } {
    demandKey(key);
    return { Bucket: this.#bucket, Key: key };
  }
}

/** The same bytes in pieces of the size of a part, the last as it comes; nothing when there are none. */
async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    length += chunk.length;
    while (length >= partBytes) {
      const all = Buffer.concat(waiting);
      yield all.subarray(0, partBytes);
      const rest = all.subarray(partBytes);
      waiting = rest.length > 0 ? [rest] : [];
      length = rest.length;
    }
  }
  if (length > 0) yield Buffer.concat(waiting);
  return undefined;
}
