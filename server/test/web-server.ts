/** A web server that represents the rest of the Internet and records its requests. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closeAtEndOfFile } from "./end-of-file.ts";

interface Resource {
  type: string;
  content: string | Buffer | ((response: ServerResponse) => void);
}

/** Closed after the file's tests. */
export class WebServer {
  readonly asked: string[] = [];
  readonly #contents = new Map<string, Resource>();
  readonly #elsewhere: Resource;
  readonly #server = createServer((request, response) => this.#answer(request.url ?? "", response));

  private constructor(elsewhere: Resource) {
    this.#elsewhere = elsewhere;
  }

  /** `elsewhere` is the response for all other paths. */
  static async start(elsewhere: Resource = nothing): Promise<WebServer> {
    const web = new WebServer(elsewhere);
    await new Promise<void>((resolve) => web.#server.listen(0, "127.0.0.1", resolve));
    closeAtEndOfFile(web.#server);
    return web;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port
    return `http://127.0.0.1:${port}`;
  }

  /** Sets the response for a path; returns the full URL. */
  serve(path: string, type: Resource["type"], content: Resource["content"]): string {
    this.#contents.set(path, { type, content });
    return this.url + path;
  }

  timesAsked(path: string): number {
    return this.asked.filter((one) => one === path).length;
  }

  #answer(path: string, response: ServerResponse): void {
    this.asked.push(path);
    const { type, content } = this.#contents.get(path) ?? this.#elsewhere;
    response.setHeader("Content-Type", type);
    if (typeof content === "function") content(response);
    else response.end(content);
  }
}

const nothing: Resource = {
  type: "text/plain",
  content: (response) => response.writeHead(404).end("nothing here"),
};
