/** A TCP proxy between a node and an engine, or a client and a node, which can pause both directions. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface TcpProxy {
  port: number;
  hold: () => void;
  release: () => void;
  close: () => Promise<void>;
}

/** Uses a free port, or the given port of an earlier proxy. */
export async function startTcpProxy(targetPort: number, ownPort = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isHeld = false;
  const server = createServer((inner) => {
    const outer = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => to.write(data));
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isHeld) from.pause();
    }
  });
  server.listen(ownPort, "127.0.0.1");
  await once(server, "listening");
  const each = (change: (socket: Socket) => void) => {
    for (const socket of sockets) change(socket);
  };
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port, so that is what it has
    hold: () => {
      isHeld = true;
      each((socket) => socket.pause());
    },
    release: () => {
      isHeld = false;
      each((socket) => socket.resume());
    },
    close: async () => {
      each((socket) => socket.destroy());
      server.close();
      await once(server, "close");
    },
  };
}
