/**
 * The sockets a server listens on: several with the same address and port, between which the system distributes connections. Node
 * accepts one connection per socket and turn of its event loop. With a single socket a node would take half a minute to accept the ten
 * thousand clients of another one that has ended, and everybody else's new connections would wait among them.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:net";

interface Address {
  host: string;
  port: number;
}

interface ListenOptions extends Address {
  backlog?: number;
  reusePort?: boolean;
}

/** More than Node's 511 connections can arrive between two turns of the event loop; the system lowers this to `net.core.somaxconn`. */
const backlog = 65_535;
/** Other systems may give all connections to the last socket. */
const sockets = process.platform === "linux" ? 64 : 1;

export class Listening {
  readonly #others: readonly Server[];

  constructor(others: readonly Server[]) {
    this.#others = others;
  }

  /** Closes the sockets that the server itself does not know; resolves when their connections have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#others.map((other) => new Promise((resolve) => other.close(resolve))));
  }
}

/** `begin` makes the server listen, if more has to be done than that. */
export async function listen(
  server: Server,
  address: Address,
  begin: (options: ListenOptions) => Promise<unknown> = (options) => listenWith(server, options),
): Promise<Listening> {
  if (sockets === 1) {
    await begin({ ...address, backlog });
    return new Listening([]);
  }
  await demandFree(address);
  await begin({ ...address, backlog, reusePort: true });
  const port = portOf(server);
  const others = Array.from({ length: sockets - 1 }, () =>
    // As a server for HTTP creates its own.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  );
  await Promise.all(others.map((other) => listenWith(other, { ...address, port, backlog, reusePort: true })));
  return new Listening(others);
}

/** Otherwise two servers with the same port would both start, and each would get some of the connections. */
async function demandFree({ host, port }: Address): Promise<void> {
  if (port === 0) return;
  const trial = createServer();
  await listenWith(trial, { host, port });
  await new Promise((resolve) => trial.close(resolve));
}

const listenWith = (server: Server, options: ListenOptions): Promise<unknown> =>
  once(server.listen(options), "listening");

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the server listens on a port");
  return address.port;
}
