/** Somebody else's server that a webhook is sent to: it keeps what it was asked, and answers as it is told. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface ReceivedCall {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  body: string;
}

export interface WebhookTarget {
  /** On an address of this machine; test nodes may reach 127.0.0.1 only. */
  url: (host?: string) => string;
  received: ReceivedCall[];
  /** The next call nobody has asked for yet; waits for it. */
  next: () => Promise<ReceivedCall>;
}

type Respond = (response: ServerResponse, call: ReceivedCall) => void;

/** An answer as JSON with status 200. */
export const answering =
  (answer: unknown): Respond =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };

const closers: (() => void)[] = [];
afterAll(() => closers.splice(0).forEach((close) => close()));

export async function startWebhookTarget(respond: Respond): Promise<WebhookTarget> {
  const received: ReceivedCall[] = [];
  let taken = 0;
  let wake: (() => void) | undefined;
  const server = createServer((request, response) => {
    void readCall(request).then((call) => {
      received.push(call);
      wake?.();
      respond(response, call);
    });
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, so that is what it has
  return {
    url: (host = "127.0.0.1") => `http://${host}:${port}/hook`,
    received,
    next: async () => {
      for (;;) {
        const call = received[taken];
        if (call) {
          taken++;
          return call;
        }
        await new Promise<void>((resume) => {
          wake = resume;
        });
      }
    },
  };
}

async function readCall(request: IncomingMessage): Promise<ReceivedCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  const { method, url: path, headers } = request;
  return { method, path, type: headers["content-type"], body: Buffer.concat(chunks).toString() };
}
