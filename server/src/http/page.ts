/** A page is anything served outside the API: HTML, images, files. */
import type { Readable } from "node:stream";
import type { rawBytes } from "./bodies.ts";
import type { Browser } from "./browser-session.ts";
import type { Form } from "./form.ts";

export interface PageResponse {
  status: number;
  type: string;
  headers?: Record<string, string>;
  /** Cookies to set, in the format of writeCookie(). */
  cookies?: string[];
  body: string | Buffer | Readable;
}

export interface PageRequest {
  method: string;
  path: string;
  /** The path's parameters. */
  params: Record<string, string>;
  /** From the query and the body. */
  form: Form;
  /** The host name and the URL without a path that the client used: `https://chat.example.com`. */
  host: string;
  origin: string;
  /** The client's IP address or IPv6 network, for rate limits. */
  ip: string;
  /** The client's IP address, for records. */
  address: string;
  /** The request's id, which the response states as X-Request-Id. */
  id: string;
  /** The Authorization header. */
  authorization: string | undefined;
  /** The browser, whose cookies identify the session. */
  browser: Browser;
  /** Another site's page made the browser send this request. */
  isCrossSite: boolean;
  /** A header by its lowercase name. */
  header: (name: string) => string | undefined;
  /** The body as a stream, for a page with `streams`. */
  body: Readable | undefined;
  /** The unparsed body, for a page with `keepsBody`. */
  bytes: Buffer | undefined;
}

/** `data` has the additional fields of the error. */
export type ErrorBody = (
  status: number,
  message: string,
  data: Readonly<Record<string, unknown>>,
) => { type: string; body: string };

export type PageMethod = "GET" | "POST" | "HEAD" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

export interface Page {
  path: string;
  /** GET and HEAD if omitted. */
  method?: PageMethod | PageMethod[];
  /** Gets bodies of this type as a stream; the page limits their size itself. */
  streams?: typeof rawBytes;
  /** Gets the unparsed body, whatever its type, except that multipart bodies are parsed as forms. */
  keepsBody?: boolean;
  /** The limit for bodies of clients that are admitted, in bytes. */
  maxBody?: number;
  /** The body of an error response, if it is not the API's. */
  errorBody?: ErrorBody;
  /** Throws unless the client may send more than `smallBodyBytes`; if omitted, nobody may. */
  admitLargeBody?: (request: PageRequest) => Promise<unknown>;
  /** Exempt from rate limits, because it is cheap or is requested often from one IP address. */
  isUnlimited?: boolean;
  serve: (request: PageRequest) => Promise<PageResponse>;
}
