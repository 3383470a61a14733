/** Binds an endpoint's declaration to its handler. */
import type { ServerResponse } from "node:http";
import type { Endpoint, ParamsOf, ParamTypes, ReturnsOf, ReturnTypes } from "@skein/api/endpoint.ts";
import type { Context } from "../context.ts";
import type { StreamedBody, SentFile } from "./form.ts";
import type { Credentials } from "../identity/sessions.ts";
import type { User } from "../identity/account.ts";
import type { Span } from "../platform/tracing.ts";

export interface RequestInfo {
  /** From the User-Agent: the `client` of a message. */
  clientName: string;
  /** The client's IP address. */
  ip: string;
  /** The request's id, which the response states as X-Request-Id. */
  id: string;
  /** The URL the client used, without a path: `https://chat.example.com`. */
  origin: string;
  /** The host name in `origin`. */
  host: string;
  /** Parameters that the endpoint does not declare; the response lists them. */
  unsupported: string[];
  /** The files in the body, if the endpoint takes a file. */
  files: SentFile[];
  /** The body, if the endpoint streams a file and the caller sends one. */
  arriving?: StreamedBody | undefined;
  /** The header Last-Event-ID, with which a client resumes a stream of events. */
  lastEventId?: string | undefined;
  /** Whether the page that sends the request is one of this server; undefined if no page does. */
  isOwnPage?: boolean | undefined;
  /** The request asks to become a WebSocket. */
  isUpgrade?: boolean;
  /** Undefined unless this request is traced. */
  span?: Span | undefined;
  /** Calls back when the response is sent or the client has disconnected; at once if that has happened already. */
  onClose: (callback: () => void) => void;
}

interface Call<E> {
  ctx: Context;
  params: ParamsOf<E>;
  request: RequestInfo;
}

/**
 * How the cached account of a request is checked against the database: by a separate statement `before` the handler; by
 * the handler `inside` the statement that makes the change; or by the handler through the event `log`.
 */
export type Verification = "before" | "inside" | "log";

/** A complete JSON text, for responses whose parts are stored in serialized form. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A response that lasts: `begin` writes the head, with these headers, and everything after it. */
export class LastingResponse {
  readonly begin: (response: ServerResponse, headers: Record<string, string>) => void;
  constructor(begin: LastingResponse["begin"]) {
    this.begin = begin;
  }
}

/** A redirect response. */
export class Redirect {
  readonly location: string;
  constructor(location: string) {
    this.location = location;
  }
}

export interface BoundEndpoint {
  endpoint: Endpoint;
  verification: Verification;
  run: (call: Call<Endpoint> & { user: User | undefined }) => Promise<object>;
}

/** A request by an account. */
export interface UserRequest extends RequestInfo {
  credentials: Credentials;
  /** Finds the account again, for a response that lasts; throws if the credentials are no longer valid. */
  authenticate: () => Promise<User>;
}

/** An unauthenticated request. */
export interface PublicRequest extends RequestInfo {
  /** The network the request comes from: see networkOf(). */
  network: string;
}

type UserHandler<E> = (
  call: Omit<Call<E>, "request"> & { user: User; request: UserRequest },
) => Promise<ReturnsOf<E> | JsonText | LastingResponse | Redirect>;
type PublicHandler<E> = (
  call: Omit<Call<E>, "request"> & { request: PublicRequest },
) => Promise<ReturnsOf<E> | JsonText>;

export function handle<P extends ParamTypes, R extends ReturnTypes>(
  endpoint: Endpoint<P, R>,
  handler: UserHandler<Endpoint<P, R>>,
  verification: Verification = "before",
): BoundEndpoint {
  if (endpoint.auth !== "user") throw new Error(`${endpoint.operation} takes no account: use handlePublic`);
  // The parameters a handler is given were decoded by its own endpoint's declaration.
  return { endpoint, verification, run: handler as unknown as BoundEndpoint["run"] };
}

export function handlePublic<P extends ParamTypes, R extends ReturnTypes>(
  endpoint: Endpoint<P, R>,
  handler: PublicHandler<Endpoint<P, R>>,
): BoundEndpoint {
  if (endpoint.auth !== "none") throw new Error(`${endpoint.operation} needs an account: use handle`);
  // As above; and the router adds the fields of PublicRequest.
  return { endpoint, verification: "before", run: handler as unknown as BoundEndpoint["run"] };
}
