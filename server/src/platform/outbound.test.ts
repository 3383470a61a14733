import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { Outbound, OutboundError, type OutboundRequest, type Resolve } from "./outbound.ts";
import { readAllowedHosts } from "./outbound-addresses.ts";

// Of this machine's IP addresses, 127.0.0.1 stands for an allowed one and 127.0.0.2 for a forbidden one.
const outbound = new Outbound(readAllowedHosts(["127.0.0.1"]));
const options: OutboundRequest = { method: "GET", timeoutMs: 10_000, maxBytes: 1000, redirects: 2 };

const closers: (() => void)[] = [];
afterAll(() => closers.forEach((close) => close()));

interface Seen {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  body: string;
}

/** A server on all IP addresses of this machine, and the requests it received. */
async function startTarget(answer: (request: IncomingMessage, response: ServerResponse, port: number) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
      const { method, url, headers } = request;
      seen.push({ method, url, authorization: headers.authorization, body: Buffer.concat(chunks).toString() });
      answer(request, response, port);
    })();
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port, so that is what it has
  return { port, seen };
}

const failureOf = (sent: Promise<unknown>) =>
  sent.then(
    () => "answered",
    (error: unknown) => (error instanceof OutboundError ? error.failure : error),
  );

const redirect = (response: ServerResponse, status: number, location: string) =>
  response.writeHead(status, { location }).end();

test("a response has status, headers and body, whatever the status", async () => {
  const { port, seen } = await startTarget((_, response) => response.writeHead(418, { "x-pot": "tea" }).end("short"));

  const answer = await outbound.request(`http://127.0.0.1:${port}/a?b=c`, {
    ...options,
    method: "POST",
    body: "hello",
  });

  expect(answer.status).toBe(418);
  expect(answer.headers["x-pot"]).toBe("tea");
  expect(answer.body.toString()).toBe("short");
  expect(seen).toEqual([{ method: "POST", url: "/a?b=c", authorization: undefined, body: "hello" }]);
});

describe("nothing is sent", () => {
  test.each(["127.0.0.2", "2130706434", "0x7f.2", "0177.0.0.2", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "0", "[::]"])(
    "to the address %s",
    async (host) => {
      const { port, seen } = await startTarget((_, response) => response.end());

      expect(await failureOf(outbound.request(`http://${host}:${port}/`, options))).toBe("refused-address");
      expect(seen).toEqual([]);
    },
  );

  test.each(["localhost", "LOCALHOST"])("to the name %s, which resolves to this machine", async (host) => {
    const { port, seen } = await startTarget((_, response) => response.end());
    const strict = new Outbound(readAllowedHosts([]));

    expect(await failureOf(strict.request(`http://${host}:${port}/`, options))).toBe("refused-address");
    expect(seen).toEqual([]);
  });

  test.each(["ftp://example.com/", "file:///etc/passwd", "http://", "example.com", "javascript:alert(1)", ""])(
    "to %j, which is not a web URL",
    async (url) => expect(await failureOf(outbound.request(url, options))).toBe("bad-url"),
  );
});

test("a name that resolves differently the next time is checked again", async () => {
  const { port, seen } = await startTarget((_, response, at) => redirect(response, 302, `http://rebound.test:${at}/2`));
  const answers = ["127.0.0.1", "127.0.0.2"];
  const resolve: Resolve = (_, __, callback) => callback(null, [{ address: answers.shift() ?? "::", family: 4 }]);
  const rebound = new Outbound(readAllowedHosts(["127.0.0.1"]), resolve);

  expect(await failureOf(rebound.request(`http://rebound.test:${port}/1`, options))).toBe("refused-address");
  expect(seen.map(({ url }) => url)).toEqual(["/1"]);
});

test("only the allowed IP addresses of a name are tried", async () => {
  const { port } = await startTarget((request, response) => response.end(request.socket.localAddress));
  const both = [
    { address: "127.0.0.2", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ];
  const mixed = new Outbound(readAllowedHosts(["127.0.0.1"]), (_, __, callback) => callback(null, both));

  const answer = await mixed.request(`http://mixed.test:${port}/`, options);

  expect(answer.body.toString()).toBe("127.0.0.1");
});

describe("redirects", () => {
  test("are each checked again", async () => {
    const { port, seen } = await startTarget((_, response, at) => redirect(response, 307, `http://127.0.0.2:${at}/`));

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, options))).toBe("refused-address");
    expect(seen).toHaveLength(1);
  });

  test("are followed up to the limit, and then returned as they are", async () => {
    const { port, seen } = await startTarget((request, response) => redirect(response, 302, `${request.url}x`));

    const answer = await outbound.request(`http://127.0.0.1:${port}/`, options);

    expect(answer.status).toBe(302);
    expect(seen.map(({ url }) => url)).toEqual(["/", "/x", "/xx"]);
  });

  test("turn a POST into a GET unless the status preserves the method", async () => {
    const { port, seen } = await startTarget((request, response) => {
      if (request.url === "/303") redirect(response, 303, "/end");
      else if (request.url === "/307") redirect(response, 307, "/end");
      else response.end();
    });
    const post = { ...options, method: "POST", body: "{}" } as const;

    await outbound.request(`http://127.0.0.1:${port}/303`, post);
    await outbound.request(`http://127.0.0.1:${port}/307`, post);

    expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      "POST /303 {}",
      "GET /end ",
      "POST /307 {}",
      "POST /end {}",
    ]);
  });

  test("keep secret headers on the same host, never on another", async () => {
    const other = await startTarget((_, response) => response.end());
    const { port, seen } = await startTarget((request, response) => {
      if (request.url === "/1") redirect(response, 302, "/2");
      else redirect(response, 302, `http://eve:pass@127.0.0.1:${other.port}/3`);
    });
    const basic = `Basic ${Buffer.from("ada:secret").toString("base64")}`;

    await outbound.request(`http://ada:secret@127.0.0.1:${port}/1`, options);
    await outbound.request(`http://127.0.0.1:${port}/1`, { ...options, headers: { Authorization: basic } });

    expect(seen.map(({ url, authorization }) => [url, authorization])).toEqual([
      ["/1", basic],
      ["/2", basic],
      ["/1", basic],
      ["/2", basic],
    ]);
    expect(other.seen.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });

  test("to something that is not a web URL are a failure", async () => {
    const { port } = await startTarget((_, response) => redirect(response, 302, "file:///etc/passwd"));

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, options))).toBe("bad-url");
  });
});

describe("a target cannot hold us up or fill us:", () => {
  test("a response that declares too large a body is not read", async () => {
    const { port } = await startTarget((_, response) =>
      response.writeHead(200, { "content-length": "1001" }).write("x"),
    );

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, options))).toBe("too-large");
  });

  test("a response of undeclared length is read up to the limit", async () => {
    const { port } = await startTarget((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(500)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, options))).toBe("too-large");
  });

  test("a response that trickles in is aborted at the timeout", async () => {
    const { port } = await startTarget((_, response) => {
      const drip = setInterval(() => response.write("x"), 5);
      response.once("close", () => clearInterval(drip));
    });

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, { ...options, timeoutMs: 100 }))).toBe(
      "timeout",
    );
  });

  test("a silent server and a name that does not resolve end at the timeout", async () => {
    const { port } = await startTarget(() => undefined);
    const unresolved = new Outbound(readAllowedHosts([]), () => undefined);

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, { ...options, timeoutMs: 100 }))).toBe(
      "timeout",
    );
    expect(await failureOf(unresolved.request("http://slow.test/", { ...options, timeoutMs: 100 }))).toBe("timeout");
  });

  test("redirects share one timeout", async () => {
    const { port } = await startTarget((request, response) => {
      setTimeout(() => redirect(response, 302, `${request.url}x`), 60);
    });

    const sent = outbound.request(`http://127.0.0.1:${port}/`, { ...options, redirects: 50, timeoutMs: 150 });

    expect(await failureOf(sent)).toBe("timeout");
  });

  test("a connection that fails or is never established is reported as such", async () => {
    const { port } = await startTarget((_, response) => response.destroy());
    const unknown = new Outbound(readAllowedHosts([]), (_, __, callback) =>
      callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []),
    );

    expect(await failureOf(outbound.request(`http://127.0.0.1:${port}/`, options))).toBe("unreachable");
    expect(await failureOf(unknown.request("http://nowhere.test/", options))).toBe("unreachable");
  });
});

test("the response to HEAD may declare any length", async () => {
  const { port } = await startTarget((_, response) => response.writeHead(200, { "content-length": "1000000" }).end());

  const answer = await outbound.request(`http://127.0.0.1:${port}/`, { ...options, method: "HEAD" });

  expect(answer.headers["content-length"]).toBe("1000000");
  expect(answer.body).toHaveLength(0);
});
