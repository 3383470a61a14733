/** A declaration bound to the function that does it. */
import type { Endpoint, ParamsOf, ParamTypes, ReturnsOf, ReturnTypes } from "@skein/api/endpoint.ts";
import type { Context } from "../context.ts";
import type { ArrivingBody, SentFile } from "./form.ts";
import type { Credentials, User } from "./sessions.ts";

export interface RequestInfo {
  /** From the User-Agent: the `client` of a message. */
  clientName: string;
  /** The address the client used, without a path: `https://chat.example.com`. */
  origin: string;
  /** The host name of it. */
  host: string;
  /** Names the caller sent that the endpoint does not take; the answer tells of them. */
  unsupported: string[];
  /** What came in the body, where the endpoint takes a file. */
  files: SentFile[];
  /** The body, where the endpoint takes a file as it arrives and the caller sends one. */
  arriving?: ArrivingBody | undefined;
  /** Calls back when the exchange is over, answered or left by its client; at once if it is over already. */
  whenGone: (callback: () => void) => void;
}

interface Call<E> {
  ctx: Context;
  params: ParamsOf<E>;
  request: RequestInfo;
}

/**
 * How the remembered account behind a request is compared with the database: `before` the handler by a statement of
 * its own; by the handler itself `inside` the statement that acts; or by the handler through the event `log`.
 */
export type Verification = "before" | "inside" | "log";

/** A complete JSON text, for answers whose parts are kept serialized. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An answer that leads elsewhere. */
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

/** What an account called with. */
export interface UserRequest extends RequestInfo {
  credentials: Credentials;
}

type UserHandler<E> = (
  call: Omit<Call<E>, "request"> & { user: User; request: UserRequest },
) => Promise<ReturnsOf<E> | JsonText | Redirect>;
type PublicHandler<E> = (call: Call<E>) => Promise<ReturnsOf<E> | JsonText>;

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
  return { endpoint, verification: "before", run: handler };
}
