/**
 * The minimum for a Node process that stores messages: node:http, a form parsed with URLSearchParams, and one insert for
 * all messages that arrived while the previous insert was in flight. It checks no account, renders nothing and emits
 * nothing. Its rate is the upper limit that runtime, driver, load and PostgreSQL allow on this machine.
 */
import { createServer, type ServerResponse } from "node:http";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env["SKEIN_DATABASE_URL"], max: 1 });

pool.on("error", () => undefined); // the engines stop before it does

interface Waiting {
  response: ServerResponse;
  place: number;
  content: string;
}

let waiting: Waiting[] = [];
let isUnderWay = false;

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    const form = new URLSearchParams(body);
    waiting.push({ response, place: Number(form.get("to")), content: form.get("content") ?? "" });
    if (!isUnderWay) void store();
  });
});

async function store(): Promise<void> {
  isUnderWay = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    const { rows } = await pool.query<{ id: string }>({
      name: "store",
      text: `insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content,
          is_me_message, read_by_sender)
        select 1, place, place, 1, 1, content, '<p>' || content || '</p>', false, false
        from unnest($1::bigint[], $2::text[]) as sent (place, content) returning id`,
      values: [group.map(({ place }) => place), group.map(({ content }) => content)],
    });
    group.forEach(({ response }, index) => answer(response, `{"result":"success","msg":"","id":${rows[index]?.id}}`));
  }
  isUnderWay = false;
}

function answer(response: ServerResponse, body: string): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

server.requestTimeout = 0;
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("a TCP server has a port");
  process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
process.once("SIGTERM", () => process.exit(0));
process.once("disconnect", () => process.exit(0));
