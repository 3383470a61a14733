/** Calls the API through a proxy, by TLS with its certificate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";

interface Answer {
  status: number;
  body: Record<string, unknown>;
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
