/** A load balancer in front of several nodes: forwards to one of them at a time. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Balancer {
  url: string;
  /** Drops all connections and refuses new ones. */
  cut: () => void;
  /** Forwards to this node from now on. */
  forwardTo: (node: { url: string }) => void;
}

export async function startBalancer(node: { url: string }): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let target: number | undefined = Number(new URL(node.url).port);
  const breakOff = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inner) => {
    sockets.add(inner);
    inner.on("close", () => sockets.delete(inner));
    inner.on("error", () => inner.destroy());
    if (target === undefined) {
      inner.destroy();
      return;
    }
    const outer = connect(target, "127.0.0.1");
    outer.on("error", () => inner.destroy());
    outer.on("close", () => inner.destroy());
    inner.on("close", () => outer.destroy());
    inner.pipe(outer).pipe(inner);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    breakOff();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    cut: () => {
      target = undefined;
      breakOff();
    },
    forwardTo: (next) => {
      target = Number(new URL(next.url).port);
    },
  };
}
