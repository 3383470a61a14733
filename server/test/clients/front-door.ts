/**
 * The address of an organization, for clients that can be told nothing but an address: what comes in goes to the nodes
 * in turn, under the organization's host name, as a load balancer hands it on.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";
import { holdAgainstReference, type TestRealm } from "../realm.ts";

/** What is between two neighbours on the way, and nobody else's business. */
const hopByHop = new Set(["connection", "host", "keep-alive", "transfer-encoding"]);
/** What `fetch` has undone when it hands over a body. */
const ofTheBody = new Set(["content-encoding", "content-length"]);

const closers: (() => void)[] = [];
afterAll(() => closers.splice(0).forEach((close) => close()));

/** Open until the file's tests are over. */
export async function openFrontDoor(realm: TestRealm): Promise<string> {
  let turn = 0;
  const server = createServer((request, response) => {
    const node = realm.nodes[turn++ % realm.nodes.length];
    handOn(request, response, `${node?.url}${request.url}`, realm.host).catch((error: unknown) => {
      response.writeHead(502).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, so that is what it has
  return `http://127.0.0.1:${port}`;
}

async function handOn(request: IncomingMessage, response: ServerResponse, url: string, host: string): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const headers = new Headers({ "x-forwarded-host": host });
  for (const [name, value] of Object.entries(request.headers))
    if (!hopByHop.has(name) && value !== undefined) headers.set(name, String(value));
  const method = request.method ?? "GET";
  const chunks = await request.toArray();
  const body = Buffer.concat(chunks as Buffer[]); // no encoding is set
  const answer = await fetch(url, {
    method,
    headers,
    signal: left.signal,
    redirect: "manual",
    ...(body.length > 0 ? { body } : {}),
  });
  await holdAgainstReference(new URL(url), method, answer);
  const given = [...answer.headers].filter(([name]) => !hopByHop.has(name) && !ofTheBody.has(name));
  response.writeHead(answer.status, Object.fromEntries(given)).end(Buffer.from(await answer.arrayBuffer()));
}
