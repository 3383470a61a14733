/** A third-party server that receives webhooks: records requests, and responds as the test decides. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeAtEndOfFile } from "./end-of-file.ts";

export interface ReceivedCall {
  method: string | undefined;
  path: string | undefined;
  type: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookTarget {
  /** Listens on a loopback address; test nodes may only connect to 127.0.0.1. */
  url: (host?: string) => string;
  received: ReceivedCall[];
  /** Waits for the next request that was not returned yet. */
  next: () => Promise<ReceivedCall>;
}

type Respond = (response: ServerResponse, call: ReceivedCall) => void;

/** A JSON response with status 200. */
export const answering =
  (answer: unknown): Respond =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };

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
  closeAtEndOfFile(server);
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
  return { method, path, type: headers["content-type"], headers, body: Buffer.concat(chunks).toString() };
}
