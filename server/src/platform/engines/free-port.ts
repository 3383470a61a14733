import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

const attempts = 100;

/**
 * A free loopback port below the ephemeral range. While an engine is down its clients keep trying to reconnect, and one of
 * them could otherwise get the engine's own port for its outgoing connection.
 *
 * The program that is to use the port may need seconds until it listens. Until this process exits, no other call returns
 * the same port, not even in another process.
 */
export async function freePort(lowest = 15_000, highest = 32_000): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(lowest, highest);
    if ((await isFree(port)) && (await claim(port))) return port;
  }
  throw new Error(`No free port was found on 127.0.0.1 between ${lowest} and ${highest}`);
}

/** Claims the port for this process by binding the UDP port of the same number, which nobody needs. */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  try {
    socket.bind({ port, address: "127.0.0.1", exclusive: true });
    await once(socket, "listening");
    socket.unref();
    return true;
  } catch {
    socket.close();
    return false;
  }
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
