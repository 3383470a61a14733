/**
 * A proxy for clients that can only be configured with a URL: forwards requests to the nodes in turn, with the organization's
 * host name, like a load balancer.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeAtEndOfFile } from "../end-of-file.ts";
import { holdAgainstReference, type TestRealm } from "../realm.ts";

/** Hop-by-hop headers, which are not forwarded. */
const hopByHop = new Set(["connection", "host", "keep-alive", "transfer-encoding"]);
/** Headers about encodings that `fetch` has already decoded. */
const ofTheBody = new Set(["content-encoding", "content-length"]);

/** Runs until the end of the file's tests. The list of nodes may change meanwhile. */
export async function openFrontDoor(
  realm: TestRealm,
  nodes: readonly { url: string }[] = realm.nodes,
): Promise<string> {
  let turn = 0;
  const server = createServer((request, response) => {
    const node = nodes[turn++ % nodes.length];
    handOn(request, response, `${node?.url}${request.url}`, realm.host).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAtEndOfFile(server);
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
  response.writeHead(answer.status, Object.fromEntries(given));
  // As it arrives: a stream has no end.
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}
