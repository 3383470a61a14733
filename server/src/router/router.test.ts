import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { expect, inject, onTestFinished, test } from "vitest";
import { newDirectoryUrl, startCell } from "../../test/cells.ts";
import { newRealm, success } from "../../test/realm.ts";
import { startTcpProxy } from "../../test/tcp-proxy.ts";
import { readConfig } from "../config.ts";
import { Directory } from "../platform/directory/directory.ts";
import { prepareDirectory } from "../platform/directory/schema.ts";
import { startRouter, type Router } from "./router.ts";

/** In a folder of its own, which does not exist yet. */
const newCopyPath = () => join(inject("scratchFolder"), `router-${randomBytes(4).toString("hex")}`, "directory.json");

async function startTestRouter(directoryUrl: string, environment: Record<string, string> = {}): Promise<Router> {
  const router = await startRouter(
    readConfig({
      SKEIN_DIRECTORY_URL: directoryUrl,
      SKEIN_DIRECTORY_COPY: newCopyPath(),
      SKEIN_PORT: "0",
      SKEIN_LOG_LEVEL: "silent",
      SKEIN_SHUTDOWN_SECONDS: "1",
      ...environment,
    }),
  );
  onTestFinished(() => router.stop());
  return router;
}

async function startUpstream(listener: RequestListener): Promise<Server & { url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return Object.assign(server, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }); // it listens on a port
}

/** A directory with one cell at these addresses, which has the host one.example.com. */
async function directoryWith(...addresses: string[]): Promise<{ url: string; directory: Directory }> {
  const url = await newDirectoryUrl();
  await prepareDirectory(url);
  const directory = new Directory(url);
  onTestFinished(() => directory.close());
  await directory.putCell({ number: 0, name: "first", addresses });
  await directory.addHosts(0, ["one.example.com"]);
  return { url, directory };
}

interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
}

/** Sends a request with exactly these headers, which fetch() would not. */
async function ask(url: string, headers: Record<string, string>, method = "GET", body = ""): Promise<Answer> {
  const request = httpRequest(url, { method, headers });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

const here = { host: "one.example.com" };

test("requests of two organizations reach their own cells, events come at once, and an unknown host gets a node's answer", async () => {
  const directoryUrl = await newDirectoryUrl();
  const [first, second] = [await startCell(directoryUrl, 0), await startCell(directoryUrl, 1)];
  const router = await startTestRouter(directoryUrl, { SKEIN_TRUST_PROXY: "1" });
  const realms = [await newRealm([first]), await newRealm([second])];
  for (const [number, cell] of [first, second].entries())
    await cell.skein.text("cell", "add", `cell-${number}`, "--number", String(number), "--address", cell.url);

  for (const [number, { host, admin }] of realms.entries()) {
    await expect.poll(() => router.routes.find(host)?.number).toBe(number);
    const through = { ...[first, second][number]!, url: router.url };
    const client = realms[number]!.client(through, { email: admin.email, apiKey: admin.apiKey });
    const queue = await admin.register(["message"]);
    admin.on = () => client;
    const next = queue.nextOf("message");
    const { id } = success(await client.call(sendMessage, { type: "direct", to: [admin.id], content: "hello" }));
    expect((await next).message.id).toBe(id);
  }
  const unknown = { host: "nowhere.example.com" };
  const answers = [router.url, first.url].map((url) => ask(`${url}/api/v1${getServerSettings.path}`, unknown));
  const [routed, direct] = await Promise.all(answers);
  expect(routed?.status).toBe(404);
  expect(JSON.parse(routed?.text ?? "")).toEqual(JSON.parse(direct?.text ?? ""));
});

test("a client cannot forge where its request comes from", async () => {
  const upstream = await startUpstream((request, response) => response.end(JSON.stringify(request.headers)));
  const { url } = await directoryWith(upstream.url);
  const router = await startTestRouter(url);
  const forged = {
    ...here,
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-host": "other.example.com",
    "x-forwarded-proto": "https",
    "x-forwarded-port": "1",
    forwarded: "for=203.0.113.9",
    "x-real-ip": "203.0.113.9",
    connection: "keep-alive, x-secret-hop",
    "x-secret-hop": "1",
  };

  const seen = JSON.parse((await ask(router.url, forged)).text) as Record<string, string>;

  expect(seen).toEqual({
    ...here,
    connection: "keep-alive",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "one.example.com",
    "x-forwarded-proto": "http",
  });
  const trusting = await startTestRouter(url, { SKEIN_TRUST_PROXY: "1" });
  const trusted = JSON.parse(
    (
      await ask(trusting.url, {
        ...forged,
        "x-forwarded-for": "6.6.6.6, 203.0.113.9",
        "x-forwarded-host": "one.example.com",
      })
    ).text,
  ) as Record<string, string>;
  expect(trusted).toMatchObject({ "x-forwarded-for": "203.0.113.9, 127.0.0.1", "x-forwarded-proto": "https" });
});

test("a body is not buffered: a node that reads slowly slows the client down, and gets every byte", async () => {
  let received = 0;
  const gate = Promise.withResolvers<void>();
  const upstream = await startUpstream((request, response) => {
    void gate.promise.then(async () => {
      for await (const chunk of request) received += (chunk as Buffer).length;
      response.end(String(received));
    });
  });
  const { url } = await directoryWith(upstream.url);
  const router = await startTestRouter(url);
  const size = 256 * 1024 * 1024;
  const request = httpRequest(router.url, { method: "POST", headers: { ...here, "content-length": String(size) } });
  const chunk = Buffer.alloc(1024 * 1024);
  let sent = 0;
  const fill = () => {
    while (sent < size) {
      sent += chunk.length;
      if (!request.write(chunk)) return;
    }
    request.end();
  };
  request.on("drain", fill);
  fill();
  let before = -1;
  while (before !== sent) {
    before = sent;
    await delay(300);
  }
  expect(sent).toBeLessThan(size / 2);

  gate.resolve();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(String((await response.toArray())[0])).toBe(String(size));
});

test("the head of a stream and each of its parts arrive at once, and a client that leaves ends it", async () => {
  const closed = Promise.withResolvers<void>();
  const next = Promise.withResolvers<void>();
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
    void next.promise.then(() => response.write("data: 1\n\n"));
    response.once("close", closed.resolve);
  });
  const { url } = await directoryWith(upstream.url);
  const router = await startTestRouter(url);

  const request = httpRequest(router.url, { headers: here }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.headers["content-type"]).toBe("text/event-stream");
  next.resolve();
  const [part] = (await once(response, "data")) as [Buffer];
  expect(String(part)).toBe("data: 1\n\n");
  request.on("error", () => undefined);
  request.destroy();
  await closed.promise;
});

test("a connection that is upgraded goes through in both directions, and a refusal arrives as one", async () => {
  const upstream = await startUpstream((_request, response) => response.writeHead(401).end("no"));
  upstream.on("upgrade", (request, socket) => {
    if (request.url === "/refused")
      return void socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  const { url } = await directoryWith(upstream.url);
  const router = await startTestRouter(url);
  const open = (path: string) =>
    httpRequest(router.url + path, { headers: { ...here, connection: "Upgrade", upgrade: "websocket" } }).end();

  const [answer, socket] = (await once(open("/"), "upgrade")) as [IncomingMessage, Socket];
  expect(answer.headers["sec-websocket-accept"]).toBe("x");
  socket.write("ping");
  const [echo] = (await once(socket, "data")) as [Buffer];
  expect(String(echo)).toBe("ping");
  socket.destroy();
  const [refused] = (await once(open("/refused"), "response")) as [IncomingMessage];
  expect(refused.statusCode).toBe(401);
});

test("a cell without a reachable node gives 503 in the protocol's form; with another one, the request goes there", async () => {
  const gone = await startUpstream(() => undefined);
  gone.close();
  await once(gone, "close");
  const { url, directory } = await directoryWith(gone.url);
  const router = await startTestRouter(url);

  const answer = await ask(router.url, here, "POST", "x=1");
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
  expect(JSON.parse(answer.text)).toMatchObject({ result: "error", code: "SERVICE_UNAVAILABLE" });

  const upstream = await startUpstream((request, response) => void request.pipe(response));
  await directory.putCell({ number: 0, name: "first", addresses: [gone.url, upstream.url] });
  await expect.poll(() => router.routes.find("one.example.com")?.addresses).toHaveLength(2);
  for (let n = 0; n < 4; n++)
    expect(await ask(router.url, here, "POST", "x=1")).toMatchObject({ status: 200, text: "x=1" });
});

test("a request that may have reached a node is not repeated", async () => {
  let requests = 0;
  const upstream = await startUpstream((request) => {
    requests++;
    request.socket.destroy();
  });
  const { url } = await directoryWith(upstream.url, upstream.url);
  const router = await startTestRouter(url);

  expect(await ask(router.url, here, "POST", "x=1")).toMatchObject({ status: 503 });
  expect(requests).toBe(1);
});

test("a router goes on without the directory, also when it starts, and learns of changes when it is back", async () => {
  const upstream = await startUpstream((_request, response) => response.end("here"));
  const { url, directory } = await directoryWith(upstream.url);
  const real = new URL(url);
  let proxy = await startTcpProxy(Number(real.port));
  onTestFinished(() => proxy.close());
  const proxied = new URL(url);
  proxied.port = String(proxy.port);
  const copy = newCopyPath();
  const first = await startTestRouter(proxied.href, { SKEIN_DIRECTORY_COPY: copy });

  await proxy.close();
  await expect.poll(() => first.routes.problem).toBeDefined();
  expect(await ask(first.url, here)).toMatchObject({ status: 200, text: "here" });
  expect(JSON.parse((await ask(`${first.url}/health/ready`, here)).text)).toMatchObject({ status: "degraded" });
  const second = await startTestRouter(proxied.href, { SKEIN_DIRECTORY_COPY: copy });
  expect(await ask(second.url, here)).toMatchObject({ status: 200, text: "here" });
  await expect(startTestRouter(proxied.href)).rejects.toThrow("there is no copy");

  await directory.addHosts(0, ["two.example.com"]);
  proxy = await startTcpProxy(Number(real.port), proxy.port);
  for (const router of [first, second]) await expect.poll(() => router.routes.find("two.example.com")?.number).toBe(0);
  expect((await ask(`${first.url}/metrics`, here)).text).toMatch(/skein_router_directory_ok\{.*\} 1/);
});

test("heads that are too large or name two hosts are refused", async () => {
  const upstream = await startUpstream((_request, response) => response.end("here"));
  const { url } = await directoryWith(upstream.url);
  const router = await startTestRouter(url);
  const raw = async (head: string): Promise<string> => {
    const socket = connect(Number(new URL(router.url).port), "127.0.0.1");
    socket.write(head);
    const [first] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return String(first).split("\r\n", 1)[0] ?? "";
  };

  expect(await raw(`GET / HTTP/1.1\r\nHost: one.example.com\r\nX: ${"x".repeat(200_000)}\r\n\r\n`)).toContain("431");
  expect(await raw("GET / HTTP/1.1\r\nHost: one.example.com\r\nHost: two.example.com\r\n\r\n")).toContain("400");
  expect(await raw("GET / HTTP/1.1\r\nHost: one.example.com\r\n\r\n")).toContain("200");
});
