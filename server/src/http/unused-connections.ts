/**
 * Connections that have carried no request yet, such as browsers open in advance. Node does not consider them idle, so a
 * server that stops would wait for them until their time for a request's head is over.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";

/** One of them may be about to carry its first request. */
const graceMilliseconds = 1000;

export class UnusedConnections {
  readonly #sockets = new Set<Socket>();

  constructor(server: Server) {
    const sockets = this.#sockets;
    // One function for all connections.
    function onClose(this: Socket): void {
      sockets.delete(this);
    }
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.once("close", onClose);
    });
    server.prependListener("request", ({ socket }) => {
      if (sockets.delete(socket)) socket.off("close", onClose);
    });
  }

  /** Closes them after a moment. For a server that accepts no further ones. */
  closeSoon(): void {
    setTimeout(() => {
      // If something has arrived, it is the beginning of a request.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    }, graceMilliseconds).unref();
  }
}
