/**
 * Requests to addresses that users chose: webhooks, previews, push services of browsers.
 *
 * **Invariant:** no connection is opened to an address that is neither public nor allowed by the operator. The address
 * is judged when the connection is made, after the name was resolved: a name that was harmless a moment ago may lead
 * elsewhere now. Every redirect starts over. Connections are not kept, so none is used twice under another name.
 */
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isAllowed, isPublicAddress, type AllowedHosts } from "./outbound-addresses.ts";

export interface OutboundRequest {
  method: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For everything: resolving, connecting, redirects, the last byte. */
  timeoutMs: number;
  /** A longer body is refused. */
  maxBytes: number;
  /** How many redirects are followed; the next one is answered as it came. */
  redirects: number;
}

export interface OutboundAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Where the answer came from, after redirects. */
  url: string;
}

export type OutboundFailure = "bad-url" | "refused-address" | "unreachable" | "timeout" | "too-large";

/** No answer was had. The message says why, without anything an answer contained. */
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

/** So long a connection may take to come about, whatever time is left for the rest. */
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

  /** An answer of any status, or an OutboundError. */
  async request(url: string, options: OutboundRequest): Promise<OutboundAnswer> {
    const { method, headers = {}, body, timeoutMs, maxBytes, redirects } = options;
    const deadline = AbortSignal.timeout(timeoutMs);
    let exchange: Exchange = { url: parseUrl(url), method, headers, body };
    for (let left = redirects; ; left--) {
      const answer = await this.#exchange(exchange, maxBytes, deadline);
      const next = redirected(exchange, answer);
      if (!next || left <= 0) return answer;
      exchange = next;
    }
  }

  #exchange({ url, method, headers, body }: Exchange, maxBytes: number, deadline: AbortSignal) {
    const host = url.hostname.replaceAll(/^\[|\]$/g, "");
    // Names are judged when they are resolved; an address needs no resolving, so nothing else would look at it.
    if (isIP(host) !== 0 && !this.#admits(host, host)) return Promise.reject(refusedAddress(host));

    return new Promise<OutboundAnswer>((resolve, reject) => {
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
      const connecting = setTimeout(() => request.destroy(tooSlow()), connectMilliseconds);
      request.once("socket", (socket) =>
        socket.once(isSecure ? "secureConnect" : "connect", () => clearTimeout(connecting)),
      );
      request.once("error", fail);
      request.once("response", (response) => {
        const length = method === "HEAD" ? 0 : Number(response.headers["content-length"] ?? 0);
        readBody(response, length, maxBytes).then(
          (read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read, url: url.href }),
          fail,
        );
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
    throw new OutboundError("bad-url", "not an address of the kind http:// or https://");
  return url;
}

async function readBody(response: IncomingMessage, length: number, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const demandSize = (bytes: number) => {
    if (bytes <= maxBytes) return;
    response.destroy();
    throw new OutboundError("too-large", `the answer is longer than ${maxBytes} bytes`);
  };
  demandSize(length);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    demandSize(size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Secrets for one host are not for the next. */
const secretHeaders = new Set(["authorization", "cookie", "proxy-authorization"]);

function redirected({ url, method, headers, body }: Exchange, answer: OutboundAnswer): Exchange | undefined {
  if (![301, 302, 303, 307, 308].includes(answer.status) || !answer.headers.location) return undefined;
  if (!URL.canParse(answer.headers.location, url)) throw new OutboundError("bad-url", "redirected to no address");
  const next = parseUrl(new URL(answer.headers.location, url).href);
  const isSameOrigin = next.origin === url.origin;
  next.username = isSameOrigin ? url.username : "";
  next.password = isSameOrigin ? url.password : "";

  const kept = Object.entries(headers).filter(([name]) => isSameOrigin || !secretHeaders.has(name.toLowerCase()));
  if (answer.status >= 307 || method === "HEAD") return { url: next, method, headers: Object.fromEntries(kept), body };
  const withoutBody = kept.filter(([name]) => !name.toLowerCase().startsWith("content-"));
  return { url: next, method: "GET", headers: Object.fromEntries(withoutBody), body: undefined };
}

const refusedAddress = (host: string) =>
  new OutboundError(
    "refused-address",
    `${host} is not on the public Internet, and SKEIN_OUTBOUND_ALLOW does not list it`,
  );

const tooSlow = () => new OutboundError("timeout", "no answer in time");

function explain(error: Error, deadline: AbortSignal): OutboundError {
  if (deadline.aborted) return tooSlow();
  if (error instanceof OutboundError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "no code"; // errors of sockets and of the resolver carry one
  return new OutboundError("unreachable", `the connection failed (${code})`, { cause: error });
}
