import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { listen } from "./listen.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function listening(port = 0) {
  const server = createServer((_, response) => response.end("here"));
  const sockets = await listen(server, { host: "127.0.0.1", port });
  const close = () => Promise.all([new Promise((resolve) => server.close(resolve)), sockets.close()]);
  undo.push(close);
  return { server, close, port: (server.address() as AddressInfo).port };
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  undo.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** How many connections the server accepts in each turn of the event loop, once all of them wait. */
async function acceptedPerTurn(server: Server, port: number, count: number): Promise<number[]> {
  const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
  undo.push(() => sockets.forEach((socket) => socket.destroy()));
  const perTurn: number[] = [];
  let inThisTurn = 0;
  const all = new Promise<void>((resolve) => {
    server.on("connection", () => {
      inThisTurn++;
      if (perTurn.reduce((sum, one) => sum + one, inThisTurn) === count) resolve();
    });
  });
  const turn = (): void => {
    if (inThisTurn > 0) perTurn.push(inThisTurn);
    inThisTurn = 0;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  undo.push(() => clearImmediate(next));
  await all;
  return [...perTurn, inThisTurn];
}

test.runIf(process.platform === "linux")("a server accepts many connections in a turn of the event loop", async () => {
  const { server, port } = await listening();
  const accepted = await acceptedPerTurn(server, port, 500);
  expect(accepted.reduce((sum, one) => sum + one)).toBe(500);
  expect(Math.max(...accepted)).toBeGreaterThan(5);
});

test("each connection carries requests, whichever socket accepted it", async () => {
  const { port } = await listening();
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => (await fetch(`http://127.0.0.1:${port}/`)).text()),
  );
  expect(new Set(answers)).toEqual(new Set(["here"]));
});

test("a port that another server listens on is refused", async () => {
  const { port } = await listening();
  await expect(listening(port)).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("a server that has closed accepts nothing, and waits for the connections it has", async () => {
  const { server, port, close } = await listening();
  let accepted = 0;
  server.on("connection", () => accepted++);
  const open = await Promise.all(Array.from({ length: 20 }, () => connected(port)));
  await expect.poll(() => accepted).toBe(20);
  let isClosed = false;
  const closed = close().then(() => (isClosed = true));
  await expect(connected(port)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect([isClosed, server.listening]).toEqual([false, false]);
  for (const socket of open) socket.end();
  await closed;
});
