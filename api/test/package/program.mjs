// A program as users of the package write it, in plain JavaScript, against a server of its own that restarts, loses the
// queue and limits the rate. Prints what it has seen, as JSON.
import { once } from "node:events";
import { createServer } from "node:http";
import { createClient, followEvents, getOwnUser, parseZuliprc, Refusal, sendMessage } from "@skein/api";

const seen = { node: process.versions.node.split(".")[0], events: [], gaps: [], retries: [], sent: [] };
const success = (fields) => [200, { result: "success", msg: "", ...fields }];
const failure = (status, code, headers) => [status, { result: "error", msg: code, code }, headers];
const message = (id) => ({ id, type: "message", message: { id, content: `message ${id}` }, flags: [] });

let registrations = 0;
/** The responses to reads of the queue, in this order. */
const reads = [
  () => success({ events: [message(1), { id: 2, type: "heartbeat" }] }),
  () => failure(429, "RATE_LIMIT_HIT", { "retry-after": "0" }),
  () => failure(503, "UNAVAILABLE", { "retry-after": "0" }),
  () => failure(400, "BAD_EVENT_QUEUE_ID"),
  () => success({ events: [message(3)] }),
];
const handle = async (request) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const form = new URLSearchParams((await request.toArray()).join(""));
  switch (`${request.method} ${pathname}`) {
    case "GET /api/v1/users/me":
      return success({ user_id: 7, full_name: "Echo" });
    case "POST /api/v1/register":
      return success({ queue_id: `queue ${++registrations}`, last_event_id: 0 });
    case "GET /api/v1/events":
      return reads.shift()();
    case "POST /api/v1/messages":
      seen.sent.push(Object.fromEntries(form));
      return form.get("content") ? success({ id: 9 }) : failure(400, "BAD_REQUEST");
    default:
      return failure(404, "NOT_FOUND");
  }
};
const start = async (port) => {
  const server = createServer((request, response) => {
    void handle(request).then(([status, body, headers]) =>
      response.writeHead(status, headers).end(JSON.stringify(body)),
    );
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
};

let server = await start(0);
const { port } = server.address();
const client = createClient(parseZuliprc(`[api]\nemail=echo@example.com\nkey=k\nsite=http://127.0.0.1:${port}\n`));
seen.me = (await client.call(getOwnUser, {})).full_name;

let restart;
const stop = new AbortController();
const events = followEvents(
  client,
  { event_types: ["message"] },
  {
    signal: stop.signal,
    onRegister: (_registration, hasGap) => void seen.gaps.push(hasGap),
    onRetry: (problem) => {
      seen.retries.push(problem.status ?? "none");
      restart ??= start(port).then((again) => (server = again));
    },
  },
);
for await (const event of events) {
  seen.events.push(event.message.content);
  if (event.id === 1) {
    await client.call(sendMessage, { type: "stream", to: "lobby", topic: "hello", content: "Here I am!" });
    server.closeAllConnections();
    server.close();
  } else stop.abort();
}
await restart;
seen.position = events.position;
const refused = await client.call(sendMessage, { type: "direct", to: [7], content: "" }).catch((error) => error);
seen.refused = refused instanceof Refusal && refused.code;
server.closeAllConnections();
server.close();
console.log(JSON.stringify(seen));
