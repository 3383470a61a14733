/**
 * The headers that tell a node where a request came from. Whatever a client forges is dropped: only proxies in front of the
 * router that the operator trusts (SKEIN_TRUST_PROXY) may name another client, host or protocol.
 */
import type { IncomingMessage } from "node:http";
import type { TrustedProxies } from "../platform/trusted-proxies.ts";

export interface Forwarded {
  /** The client's address, then those of the proxies that the request passed. */
  for: string[];
  host: string;
  proto: string;
}

const listOf = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value.join(",") : (value ?? ""))
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

export function readForwarded(request: IncomingMessage, trusted: TrustedProxies): Forwarded {
  const { headers, socket } = request;
  const peer = socket.remoteAddress ?? "";
  const addresses = [peer];
  const named = listOf(headers["x-forwarded-for"]);
  // Each trusted proxy vouches for the address that it appended.
  while (trusted && named.length > 0 && trusted(addresses[0] ?? "", addresses.length - 1))
    addresses.unshift(named.pop() ?? "");
  const isVouched = trusted !== false && trusted(peer, 0);
  const given = (name: string) => (isVouched ? listOf(headers[name]).at(-1) : undefined);
  return {
    for: addresses,
    host: given("x-forwarded-host") ?? headers.host ?? "",
    proto: given("x-forwarded-proto") === "https" ? "https" : "http",
  };
}

/** Host names are compared in lowercase and without a port. */
export const hostName = (host: string): string => host.replace(/:\d*$/, "").toLowerCase();

/** Of one connection only, not of the request. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

type Headers = Record<string, string | string[]>;

/** Without those of the connection, among them what its `Connection` header names. */
export function endToEnd({ headersDistinct }: IncomingMessage): Headers {
  const ofConnection = new Set(listOf(headersDistinct["connection"]).map((name) => name.toLowerCase()));
  const kept = Object.entries(headersDistinct).filter(([name]) => !hopByHop.has(name) && !ofConnection.has(name));
  return Object.fromEntries(
    kept.map(([name, values = []]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

const isForwarding = (name: string): boolean =>
  name.startsWith("x-forwarded-") || name === "forwarded" || name === "x-real-ip";

/** The headers that a node gets. */
export function forwardedHeaders(request: IncomingMessage, forwarded: Forwarded): Headers {
  const own = Object.entries(endToEnd(request)).filter(([name]) => !isForwarding(name));
  return {
    ...Object.fromEntries(own),
    host: request.headers.host ?? "",
    "x-forwarded-for": forwarded.for.join(", "),
    "x-forwarded-host": forwarded.host,
    "x-forwarded-proto": forwarded.proto,
  };
}
