/** A fake of browser push services and of a mobile relay: records requests, and responds as the test decides. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { closeAtEndOfFile } from "./end-of-file.ts";

export interface ReceivedPush {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

export class PushService {
  readonly received: ReceivedPush[] = [];
  /** The status of the response. */
  answer: (push: ReceivedPush) => number = () => 201;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const push = { path: request.url ?? "", headers, body: Buffer.concat(chunks) };
      const status = this.answer(push);
      if (status < 300) this.received.push(push);
      response.writeHead(status).end();
    });
  });

  /** Closed after the file's tests. */
  static async start(): Promise<PushService> {
    const service = new PushService();
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    closeAtEndOfFile(service.#server);
    return service;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  /** The notifications that a relay received for a device, in order. */
  notificationsFor(token: string): Record<string, unknown>[] {
    return this.received
      .map(
        ({ body }) =>
          JSON.parse(body.toString()) as { device: { token: string }; notification: Record<string, unknown> },
      ) // our own protocol
      .filter(({ device }) => device.token === token)
      .map(({ notification }) => notification);
  }
}

/** A browser with a push subscription, which can decrypt its notifications. */
export class TestBrowser {
  readonly endpoint: string;
  readonly auth = randomBytes(16).toString("base64url");
  readonly #service: PushService;
  readonly #path = `/push/${randomBytes(8).toString("hex")}`;
  readonly #keys = createECDH("prime256v1");

  constructor(service: PushService) {
    this.#service = service;
    this.#keys.generateKeys();
    this.endpoint = service.url + this.#path;
  }

  get subscription() {
    return { endpoint: this.endpoint, p256dh: this.#keys.getPublicKey().toString("base64url"), auth: this.auth };
  }

  get pushes(): ReceivedPush[] {
    return this.#service.received.filter(({ path }) => path === this.#path);
  }

  /** The notifications that it received, in order. */
  get notifications(): Record<string, unknown>[] {
    return this.pushes.map(({ body }) => JSON.parse(this.#decrypt(body)) as Record<string, unknown>); // always an object
  }

  /** RFC 8291, in one record. */
  #decrypt(body: Buffer): string {
    const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 21 + 65)];
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.#keys.getPublicKey(), sender]);
    const derive = (key: Buffer, by: Buffer, about: Buffer | string, bytes: number) =>
      Buffer.from(hkdfSync("sha256", key, by, about, bytes));
    const shared = derive(this.#keys.computeSecret(sender), Buffer.from(this.auth, "base64url"), info, 32);
    const key = derive(shared, salt, "Content-Encoding: aes128gcm\0", 16);
    const nonce = derive(shared, salt, "Content-Encoding: nonce\0", 12);
    const sealed = body.subarray(21 + 65);
    const decipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }
}
