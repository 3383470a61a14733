/**
 * Node's HTTP server without our code: GET waits, a POST completes all waiting requests with its own body, and OPTIONS
 * returns how many are waiting.
 */
import { createServer, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

let waiting: ServerResponse[] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    waiting.push(response);
    return;
  }
  if (request.method === "OPTIONS") {
    answer(response, Buffer.from(String(waiting.length)));
    return;
  }
  void buffer(request).then((body) => {
    const answered = waiting;
    waiting = [];
    for (const one of answered) answer(one, body);
    answer(response, Buffer.from("{}"));
  });
});

function answer(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Content-Length": body.length });
  response.end(body);
}

// Connections are idle between rounds.
server.requestTimeout = 0;
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("a TCP server has a port");
  process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
process.once("SIGTERM", () => process.exit(0));
process.once("disconnect", () => process.exit(0));
