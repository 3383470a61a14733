/** Requests that stall time out; slow ones that make progress do not. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm } from "../../test/realm.ts";

interface Sender {
  first: string;
  /** Sent repeatedly, until the connection is closed or this many times. */
  more: string;
  times: number;
  last?: string;
}

/** The response up to when the server closes the connection or has responded to `last`. */
async function sendSlowly(url: string, { first, more, times, last }: Sender): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = "";
    let sent = 0;
    const socket = connect(Number(port), hostname, () => socket.write(first));
    const timer = setInterval(() => {
      if (sent++ < times) socket.write(more);
      else if (last !== undefined) socket.write(last); // on a half-closed connection the request would count as aborted
      if (sent > times) clearInterval(timer);
    }, 200);
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

const form = "Host: x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
const forever = { times: Infinity };

test.each<[string, Sender]>([
  ["an unfinished head", { first: "GET / HTTP/1.1\r\nHost: x\r\n", more: "X-A: b\r\n", ...forever }],
  ["nothing at all", { first: "", more: "", ...forever }],
  [
    "an unfinished form",
    { first: `POST /api/v1/messages HTTP/1.1\r\n${form}Content-Length: 1000\r\n\r\n`, more: "a", ...forever },
  ],
  [
    "an unfinished multipart body",
    {
      first:
        "POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n" +
        "Transfer-Encoding: chunked\r\n\r\n",
      more: "1\r\na\r\n",
      ...forever,
    },
  ],
  [
    "an unfinished body of a GET",
    { first: `GET /health/live HTTP/1.1\r\n${form}Content-Length: 1000\r\n\r\n`, more: "a", ...forever },
  ],
])("%s times out", async (_name, sender) => {
  const { url } = await startNode({ environment: { SKEIN_REQUEST_TIMEOUT_SECONDS: "1" } });

  const answer = await sendSlowly(url, sender);

  expect(answer.split(" ", 2)[1]).toBe(sender.first.startsWith("GET /health") ? "200" : "408");
});

test("an upload over a slow connection succeeds, even if it takes longer than the timeout for a part", async () => {
  const { url } = await startNode({ environment: { SKEIN_REQUEST_TIMEOUT_SECONDS: "3" } });
  const { admin, host } = await newRealm();
  const head = '--b\r\nContent-Disposition: form-data; name="filename"; filename="slow.txt"\r\n\r\n';
  const piece = "x".repeat(8 * 1024);
  const times = 20; // 200 ms apart: four seconds in total; the timeout is three seconds per 16 KiB
  const end = "\r\n--b--\r\n";
  const length = head.length + times * piece.length + end.length;
  const first =
    `POST /api/v1/user_uploads HTTP/1.1\r\nHost: x\r\nX-Forwarded-Host: ${host}\r\nConnection: close\r\n` +
    `Authorization: Basic ${btoa(`${admin.email}:${admin.apiKey}`)}\r\n` +
    `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n${head}`;

  const answer = await sendSlowly(url, { first, more: piece, times, last: end });

  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain("slow.txt");
});
