/** Calls the API through a proxy, by TLS with its certificate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** What has arrived on a connection so far. */
export class ReceivedText {
  #text = "";
  #onChange: (() => void) | undefined;
  readonly close: () => void;
  hasEnded = false;

  constructor(close: () => void) {
    this.close = close;
  }

  add(text: string): void {
    this.#text += text;
    this.#onChange?.();
  }

  end(): void {
    this.hasEnded = true;
    this.#onChange?.();
  }

  /** Throws if this text does not arrive in time. */
  async until(text: string, milliseconds: number): Promise<void> {
    const deadline = AbortSignal.timeout(milliseconds);
    while (!this.#text.includes(text)) {
      if (this.hasEnded || deadline.aborted)
        throw new Error(`${text}: ${this.hasEnded ? "the connection ended" : "held back"}; received ${this.#text}`);
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
        deadline.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }
}

export class ProxyClient {
  readonly #authorization: string;
  readonly #ca: Buffer;

  constructor(account: string, ca: Buffer) {
    this.#authorization = `Basic ${Buffer.from(account).toString("base64")}`;
    this.#ca = ca;
  }

  async call(
    method: string,
    url: string,
    form?: URLSearchParams | Response,
    headers: Record<string, string> = {},
    isSignedIn = true,
  ): Promise<Answer> {
    const encoded = form && (form instanceof Response ? form : new Response(form));
    const body = encoded && Buffer.from(await encoded.arrayBuffer());
    const type = encoded?.headers.get("content-type");
    const sending = request(url, {
      method,
      ca: this.#ca,
      headers: {
        ...headers,
        ...(isSignedIn ? { authorization: this.#authorization } : {}),
        ...(body && typeof type === "string" ? { "content-type": type, "content-length": body.length } : {}),
      },
    });
    sending.end(body);
    const [response] = (await once(sending, "response")) as [NodeJS.ReadableStream & { statusCode: number }]; // of node:http
    const text = await new Response(response as unknown as ReadableStream).text();
    return {
      status: response.statusCode,
      body: text.startsWith("{") ? (JSON.parse(text) as Answer["body"]) : { text },
    };
  }

  /** Fails if the response does not begin. */
  async openStream(url: string): Promise<ReceivedText> {
    const sending = request(url, { ca: this.#ca, headers: { authorization: this.#authorization } });
    sending.end();
    const [response] = (await once(sending, "response")) as [IncomingMessage]; // of node:http
    assert.equal(response.statusCode, 200, `${url}: ${response.statusCode}`);
    const received = new ReceivedText(() => sending.destroy());
    response.setEncoding("utf8");
    response.on("data", (text: string) => received.add(text));
    response.on("error", () => received.end());
    response.on("close", () => received.end());
    return received;
  }

  /** Fails if the proxy does not forward the upgrade. */
  async openSocket(url: string): Promise<ReceivedText> {
    const socket = new WebSocket(url.replace("https:", "wss:"), {
      ca: this.#ca,
      headers: { authorization: this.#authorization },
    });
    const received = new ReceivedText(() => socket.terminate());
    socket.on("message", (data: Buffer) => received.add(data.toString()));
    socket.on("close", () => received.end());
    await once(socket, "open");
    return received;
  }

  async send(url: string, content: string): Promise<void> {
    const form = new URLSearchParams({ type: "direct", to: '["owner@example.com"]', content });
    const { status, body } = await this.call("POST", `${url}/api/v1/messages`, form);
    assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
  }

  async untilReached(name: string, url: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.call("GET", `${url}/health/ready`).catch((error: unknown) => error);
      if (answer !== null && typeof answer === "object" && "status" in answer && answer.status === 200) return;
      if (attempt === 1200) throw new Error(`${name} does not reach a node: ${JSON.stringify(answer)}`);
      await delay(100);
    }
  }
}
