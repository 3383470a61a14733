/**
 * Requests to URLs that users chose: webhooks, previews, web push services.
 *
 * **Invariant:** no connection is opened to an IP address that is neither public nor allowed by the operator. The address
 * is checked when the connection is made, after the name is resolved, because a name that was harmless a moment ago may
 * resolve differently now. Every redirect is checked again. Connections are not reused, so none serves another host name.
 */
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectSecurely, type ConnectionOptions, type TLSSocket } from "node:tls";
import { isAllowed, isPublicAddress, type AllowedHosts } from "./outbound-addresses.ts";

export interface OutboundRequest {
  method: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For the whole request: resolving, connecting, redirects and reading the body. */
  timeoutMs: number;
  /** A longer response body is an error. */
  maxBytes: number;
  /** How many redirects are followed; the next one is returned as it is. */
  redirects: number;
}

export interface OutboundSocket {
  host: string;
  port: number;
  /** TLS, with a certificate for this host. */
  isSecure: boolean;
  /** For all of it. */
  timeoutMs: number;
}

/** Whom a TLS connection must lead to. */
export interface TlsPeer {
  host: string;
  /** PEM text; if empty, the certificates that Node.js trusts. */
  ca: string;
}

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The URL after redirects. */
  url: string;
}

/** A response whose body is read as it arrives. */
export interface OutboundStream {
  status: number;
  headers: IncomingHttpHeaders;
  body: AsyncIterable<Buffer>;
}

export type OutboundFailure = "bad-url" | "refused-address" | "unreachable" | "timeout" | "too-large";

/** There is no usable response. The message states the reason and never includes parts of a response. */
export class OutboundError extends Error {
  override name = "OutboundError";
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Timeout for connecting, independent of the request's timeout. */
const connectMilliseconds = 5_000;

interface Exchange {
  url: URL;
  method: OutboundRequest["method"];
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

export class Outbound {
  readonly #allowed: AllowedHosts;
  readonly #resolve: Resolve;

  constructor(allowed: AllowedHosts, resolve: Resolve = dnsLookup) {
    this.#allowed = allowed;
    this.#resolve = resolve;
  }

  /** Returns a response of any status, or throws an OutboundError. */
  async request(url: string, options: OutboundRequest): Promise<OutboundResponse> {
    const { method, headers = {}, body, timeoutMs, maxBytes, redirects } = options;
    const deadline = AbortSignal.timeout(timeoutMs);
    let exchange: Exchange = { url: parseUrl(url), method, headers, body };
    for (let left = redirects; ; left--) {
      const { href } = exchange.url;
      const answer = await this.#exchange(exchange, deadline, async (response): Promise<OutboundResponse> => {
        const { statusCode = 0, headers: given } = response;
        return {
          status: statusCode,
          headers: given,
          body: await readBody(response, exchange.method, maxBytes),
          url: href,
        };
      });
      const next = redirected(exchange, answer);
      if (!next || left <= 0) return answer;
      exchange = next;
    }
  }

  /**
   * For bodies that do not fit into memory: `take` reads the body, of at most `maxBytes`. Follows no redirects. What is
   * left of the body is not read.
   */
  async stream<T>(
    url: string,
    { timeoutMs, maxBytes }: Pick<OutboundRequest, "timeoutMs" | "maxBytes">,
    take: (response: OutboundStream) => Promise<T>,
  ): Promise<T> {
    const exchange: Exchange = { url: parseUrl(url), method: "GET", headers: {}, body: undefined };
    const deadline = AbortSignal.timeout(timeoutMs);
    const outcome = await this.#exchange(exchange, deadline, async (response) => {
      const { statusCode = 0, headers } = response;
      const body = explained(limited(response, "GET", maxBytes), deadline);
      try {
        return { value: await take({ status: statusCode, headers, body }) };
      } catch (error) {
        return { error };
      } finally {
        response.destroy();
      }
    });
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /**
   * Sends bytes over TCP or TLS, and waits until the other side, which by then has read them all, closes the connection.
   * Throws an OutboundError.
   */
  transmit({ host, port, isSecure, timeoutMs }: OutboundSocket, bytes: Buffer): Promise<void> {
    if (isIP(host) !== 0 && !this.#admits(host, host)) return Promise.reject(refusedAddress(host));
    const deadline = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const options = { host, port, lookup: this.#lookup };
      const socket: Socket = isSecure
        ? connectSecurely({ ...options, ...(isIP(host) === 0 ? { servername: host } : {}) })
        : connect(options);
      const connecting = setTimeout(() => socket.destroy(notConnected()), connectMilliseconds);
      const end = () => socket.destroy(tooSlow());
      deadline.addEventListener("abort", end);
      let isSent = false;
      let isRead = false;
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        clearTimeout(connecting);
        socket.end(bytes);
      });
      socket.once("finish", () => (isSent = true));
      socket.once("end", () => (isRead = isSent));
      socket.once("error", (error) => reject(explain(error, deadline)));
      socket.once("close", () => {
        clearTimeout(connecting);
        deadline.removeEventListener("abort", end);
        if (isRead) resolve();
        else reject(new OutboundError("unreachable", "the connection was closed too early"));
      });
      // What the other side says is not read, but its end is.
      socket.resume();
    });
  }

  /** Opens a connection over TCP, or over TLS if there is somebody to verify. Throws an OutboundError. */
  open({ host, port, tls }: { host: string; port: number; tls: TlsPeer | undefined }): Promise<Socket> {
    if (isIP(host) !== 0 && !this.#admits(host, host)) return Promise.reject(refusedAddress(host));
    return new Promise((resolve, reject) => {
      const options = { host, port, lookup: this.#lookup };
      const socket = tls ? connectSecurely({ ...options, ...verifying(tls) }) : connect(options);
      const fail = (error: Error) => {
        clearTimeout(connecting);
        reject(explain(error));
      };
      const connecting = setTimeout(() => socket.destroy(notConnected()), connectMilliseconds);
      socket.once("error", fail);
      socket.once(tls ? "secureConnect" : "connect", () => {
        clearTimeout(connecting);
        socket.removeListener("error", fail);
        // An error before the caller listens must not end the process; the socket is closed then.
        socket.on("error", () => undefined);
        resolve(socket);
      });
    });
  }

  #exchange<T>(
    { url, method, headers, body }: Exchange,
    deadline: AbortSignal,
    receive: (response: IncomingMessage) => Promise<T>,
  ) {
    const host = url.hostname.replaceAll(/^\[|\]$/g, "");
    // Names are checked when they are resolved; an IP address is not resolved, so it is checked here.
    if (isIP(host) !== 0 && !this.#admits(host, host)) return Promise.reject(refusedAddress(host));

    return new Promise<T>((resolve, reject) => {
      const options: RequestOptions = {
        method,
        headers: { "user-agent": "Skein", "accept-encoding": "identity", ...headers },
        agent: false,
        lookup: this.#lookup,
        signal: deadline,
      };
      const isSecure = url.protocol === "https:";
      const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
      const fail = (error: Error) => {
        clearTimeout(connecting);
        reject(explain(error, deadline));
      };
      const connecting = setTimeout(() => request.destroy(notConnected()), connectMilliseconds);
      request.once("socket", (socket) =>
        socket.once(isSecure ? "secureConnect" : "connect", () => clearTimeout(connecting)),
      );
      request.once("error", fail);
      request.once("response", (response) => {
        receive(response).then(resolve, fail);
      });
      request.end(body);
    });
  }

  readonly #lookup: LookupFunction = (host, options, callback) => {
    this.#resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const admitted = found.filter(({ address }) => this.#admits(host, address));
      const [first] = admitted;
      if (!first) return callback(refusedAddress(host), []);
      if (options.all) callback(null, admitted);
      else callback(null, first.address, first.family);
    });
  };

  #admits(host: string, address: string): boolean {
    return isPublicAddress(address) || isAllowed(this.#allowed, host, address);
  }
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new OutboundError("bad-url", "the URL must begin with http:// or https://");
  return url;
}

async function readBody(
  response: IncomingMessage,
  method: OutboundRequest["method"],
  maxBytes: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of limited(response, method, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* limited(
  response: IncomingMessage,
  method: OutboundRequest["method"],
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  const demandSize = (bytes: number) => {
    if (bytes <= maxBytes) return;
    response.destroy();
    throw new OutboundError("too-large", `the response is longer than ${maxBytes} bytes`);
  };
  demandSize(method === "HEAD" ? 0 : Number(response.headers["content-length"] ?? 0));
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    demandSize(size);
    yield chunk;
  }
}

/** Headers that must not be sent to another host after a redirect. */
const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization"]);

function redirected({ url, method, headers, body }: Exchange, answer: OutboundResponse): Exchange | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status) || !answer.headers.location) return undefined;
  if (!URL.canParse(answer.headers.location, url)) throw new OutboundError("bad-url", "redirected to an invalid URL");
  const next = parseUrl(new URL(answer.headers.location, url).href);
  const isSameOrigin = next.origin === url.origin;
  next.username = isSameOrigin ? url.username : "";
  next.password = isSameOrigin ? url.password : "";

  const kept = Object.entries(headers).filter(([name]) => isSameOrigin || !secretHeaders.has(name.toLowerCase()));
  if (answer.status >= 307 || method === "HEAD") return { url: next, method, headers: Object.fromEntries(kept), body };
  const withoutBody = kept.filter(([name]) => !name.toLowerCase().startsWith("content-"));
  return { url: next, method: "GET", headers: Object.fromEntries(withoutBody), body: undefined };
}

async function* explained(body: AsyncIterable<Buffer>, deadline: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    throw error instanceof Error ? explain(error, deadline) : error;
  }
}

const refusedAddress = (host: string) =>
  new OutboundError(
    "refused-address",
    `${host} is not on the public Internet, and SKEIN_OUTBOUND_ALLOW does not list it`,
  );

const notConnected = () =>
  new OutboundError("unreachable", `no connection within ${connectMilliseconds / 1000} seconds`);

const tooSlow = () => new OutboundError("timeout", "no response in time");

/** TLS over a connection that exists. */
export const secure = (socket: Socket, peer: TlsPeer): TLSSocket => connectSecurely({ socket, ...verifying(peer) });

/** The certificate has to be for this host, whatever the environment says. */
const verifying = ({ host, ca }: TlsPeer): ConnectionOptions => ({
  host,
  ...(isIP(host) === 0 ? { servername: host } : {}),
  ...(ca === "" ? {} : { ca }),
  minVersion: "TLSv1.2",
  rejectUnauthorized: true,
});

function explain(error: Error, deadline?: AbortSignal): OutboundError {
  if (deadline?.aborted) return tooSlow();
  if (error instanceof OutboundError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "no code"; // errors of sockets and of the resolver have one
  return new OutboundError("unreachable", `the connection failed (${code})`, { cause: error });
}
