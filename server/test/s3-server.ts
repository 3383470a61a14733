/**
 * An in-memory S3-compatible store: objects, ranges, multipart uploads. It verifies the signature (version 4) of every
 * request.
 */
import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

interface StoredObject {
  bytes: Buffer;
  contentType: string;
}

interface PartialUpload {
  key: string;
  contentType: string;
  parts: Map<number, Buffer>;
}

interface Keys {
  accessKey: string;
  secretKey: string;
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

export class S3Server {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, PartialUpload>();
  readonly bucket = "files";
  readonly region = "nowhere-1";
  readonly keys: Keys = { accessKey: "the-access-key", secretKey: "the-secret-key" };
  /** Requests rejected because of their signature. */
  refused = 0;
  /** Whether to fail a request with an error that clients do not retry. */
  failing: (request: IncomingMessage, url: URL) => boolean = () => false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async start(): Promise<S3Server> {
    const store = new S3Server();
    await new Promise<void>((resolve) => store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  get endpoint(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const url = new URL(request.url ?? "", this.endpoint);
    if (!isSigned(request, url, body, this)) {
      this.refused++;
      answer(response, 403, error("SignatureDoesNotMatch"));
      return;
    }
    if (this.failing(request, url)) {
      answer(response, 400, error("InvalidRequest"));
      return;
    }
    const prefix = `/${this.bucket}/`;
    if (!url.pathname.startsWith(prefix)) {
      answer(response, 404, error("NoSuchBucket"));
      return;
    }
    const key = decodeURIComponent(url.pathname.slice(prefix.length));
    const uploadId = url.searchParams.get("uploadId");
    const contentType = request.headers["content-type"] ?? "binary/octet-stream";
    if (url.searchParams.has("uploads")) this.#begin(response, key, contentType);
    else if (uploadId !== null) this.#part(request, response, { uploadId, url, body });
    else this.#object(request, response, { key, contentType, body });
  }

  #object(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { key, contentType, body }: { key: string; contentType: string; body: Buffer },
  ): void {
    const object = this.objects.get(key);
    if (method === "PUT") {
      this.objects.set(key, { bytes: body, contentType });
      answer(response, 200, "", { ETag: `"${sha256(body)}"` });
    } else if (method === "DELETE") {
      this.objects.delete(key);
      answer(response, 204, "");
    } else if (method === "HEAD")
      response.writeHead(object ? 200 : 404, object ? { "Content-Length": String(object.bytes.length) } : {}).end();
    else if (method !== "GET") answer(response, 405, error("MethodNotAllowed"));
    else if (!object) answer(response, 404, error("NoSuchKey"));
    else {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
      const part = from === undefined ? object.bytes : object.bytes.subarray(Number(from), Number(to) + 1);
      answer(response, from === undefined ? 200 : 206, part, { "Content-Type": object.contentType });
    }
  }

  #begin(response: ServerResponse, key: string, contentType: string): void {
    const id = randomUUID();
    this.uploads.set(id, { key, contentType, parts: new Map() });
    const ids = `<Bucket>${this.bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`;
    answer(response, 200, `<InitiateMultipartUploadResult>${ids}</InitiateMultipartUploadResult>`);
  }

  #part(
    { method }: IncomingMessage,
    response: ServerResponse,
    { uploadId, url, body }: { uploadId: string; url: URL; body: Buffer },
  ): void {
    const upload = this.uploads.get(uploadId);
    if (!upload) {
      answer(response, 404, error("NoSuchUpload"));
      return;
    }
    const { key, contentType, parts } = upload;
    if (method === "PUT") {
      parts.set(Number(url.searchParams.get("partNumber")), body);
      answer(response, 200, "", { ETag: `"${sha256(body)}"` });
      return;
    }
    this.uploads.delete(uploadId);
    if (method === "DELETE") {
      answer(response, 204, "");
      return;
    }
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
    const bytes = Buffer.concat(named.map((number) => parts.get(number) ?? Buffer.alloc(0)));
    const isTooSmall = named.slice(0, -1).some((number) => (parts.get(number)?.length ?? 0) < 5 * 1024 ** 2);
    if (isTooSmall) {
      answer(response, 400, error("EntityTooSmall"));
      return;
    }
    this.objects.set(key, { bytes, contentType });
    const result = `<Bucket>${this.bucket}</Bucket><Key>${key}</Key><ETag>"${sha256(bytes)}"</ETag>`;
    answer(response, 200, `<CompleteMultipartUploadResult>${result}</CompleteMultipartUploadResult>`);
  }
}

const error = (code: string) => `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;

function answer(response: ServerResponse, status: number, body: string | Buffer, headers: Record<string, string> = {}) {
  const type = typeof body === "string" && body !== "" ? { "Content-Type": "application/xml" } : {};
  response.writeHead(status, { ...type, ...headers }).end(body);
}

const signed =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

function isSigned(
  { method = "", headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  { keys, region }: { keys: Keys; region: string },
): boolean {
  const [, accessKey, date, place, names = "", signature] = signed.exec(headers.authorization ?? "") ?? [];
  const time = String(headers["x-amz-date"]);
  if (accessKey !== keys.accessKey || place !== region || date === undefined || !time.startsWith(date)) return false;
  const content = String(headers["x-amz-content-sha256"]);
  if (content !== sha256(body)) return false;
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join("&");
  const lines = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, url.pathname, query, lines.join(""), names, content].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n");
  const key = hmac(hmac(hmac(hmac(`AWS4${keys.secretKey}`, date), region), "s3"), "aws4_request");
  return hmac(key, text).toString("hex") === signature;
}
