/**
 * Requests that ask to become a WebSocket are served like all others, so that they are authenticated, limited, counted and
 * refused in the same way. Whoever accepts one takes the connection over with `takeConnection`.
 */
import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

interface Connection {
  socket: Socket;
  /** What the client sent after the request. */
  head: Buffer;
}

const connections = new WeakMap<IncomingMessage, Connection>();

export function serveUpgrades(server: Server): void {
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const socket = stream as Socket; // this server listens on a port
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    connections.set(request, { socket, head });
    socket.on("error", () => socket.destroy());
    // The HTTP server no longer looks after this connection.
    response.on("finish", () => socket.destroySoon());
    server.emit("request", request, response);
  });
}

/** Whether the request asks to become a WebSocket. */
export const isUpgrade = (request: IncomingMessage): boolean => connections.has(request);

/** The connection of the request, which no longer has a response. */
export function takeConnection(response: ServerResponse): Connection {
  const connection = connections.get(response.req);
  if (!connection) throw new Error("the request does not ask for an upgrade");
  connections.delete(response.req);
  response.detachSocket(connection.socket);
  response.isUpgraded = true;
  // For those who count responses.
  connection.socket.once("close", () => response.emit("close"));
  return connection;
}
