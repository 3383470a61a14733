/**
 * Stores files in an S3 bucket, under the same keys and with the same guarantees as in a folder. Large files are sent as a
 * multipart upload; the object appears only when all parts have arrived.
 */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  assertValidContentType,
  assertValidKey,
  type ByteRange,
  type FileStore,
  type OpenedFile,
  type StoredFile,
} from "./file-store.ts";

export interface S3Settings {
  bucket: string;
  region: string;
  /** If empty, the AWS endpoint of the region. */
  endpoint: string;
  /** If both are empty, the machine's own credentials are used. */
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
      // Not every S3-compatible store supports checksums in trailers; the signature covers the content anyway.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
  }

  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    assertValidContentType(contentType);
    await this.#client.send(new PutObjectCommand({ ...this.#place(key), Body: bytes, ContentType: contentType }));
  }

  async putStream(key: string, chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<void> {
    assertValidContentType(contentType);
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#place(key), Body: Readable.from(chunks), ContentType: contentType },
      partSize: partBytes,
      queueSize: 1, // one part in memory at a time
      leavePartsOnError: true, // see below
    });
    try {
      await upload.done();
    } catch (error) {
      await this.#abort(key, upload.uploadId);
      throw error;
    }
  }

  /**
   * Removes the parts of a failed upload. The library would do so as well, but not when joining the parts fails, and its
   * own failure to remove them would hide the original error.
   */
  async #abort(key: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return; // it was a single request
    const command = new AbortMultipartUploadCommand({ ...this.#place(key), UploadId: uploadId });
    // The bucket's lifecycle rule removes the rest (AbortIncompleteMultipartUpload).
    await this.#client.send(command).catch(() => undefined);
  }

  async get(key: string): Promise<StoredFile | undefined> {
    const file = await this.open(key);
    return file && { bytes: await buffer(file.body), contentType: file.contentType };
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
    const headers = range ? { Range: `bytes=${range.from}-${range.to}` } : {};
    try {
      const { Body, ContentType = "" } = await this.#client.send(
        new GetObjectCommand({ ...this.#place(key), ...headers }),
      );
      if (!(Body instanceof Readable)) throw new Error("expected the S3 client to return a Node stream");
      return { contentType: ContentType, body: Body };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async size(key: string): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#place(key)));
      return ContentLength ?? 0;
    } catch (error) {
      if (error instanceof NotFound || error instanceof NoSuchKey) return undefined;
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
    assertValidKey(key);
    return { Bucket: this.#bucket, Key: key };
  }
}
