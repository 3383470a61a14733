/** A reverse proxy that passes a response on only when it has all of it, until told otherwise. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface BufferingProxy {
  url: string;
  /** Passes everything on as it arrives from now on. */
  stopBuffering: () => void;
}

export async function startBufferingProxy(site: string): Promise<BufferingProxy> {
  const { hostname, port } = new URL(site);
  let isBuffering = true;
  const server = createServer((inner, response) => {
    const { method, url, headers } = inner;
    const outer = request({ hostname, port, method, path: url, headers }, (answer) => {
      const pass = (): unknown => response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (isBuffering)
        buffer(answer).then(
          (body) => {
            pass();
            response.end(body);
          },
          () => response.destroy(),
        );
      else {
        pass();
        answer.pipe(response);
      }
    });
    outer.on("error", () => response.destroy());
    response.on("close", () => outer.destroy());
    inner.pipe(outer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // it listens on a port
    stopBuffering: () => {
      isBuffering = false;
    },
  };
}
