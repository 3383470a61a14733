/**
 * The client of `@skein/api`: calls any operation of routes.ts, typed by its declaration, and loads no schema. Its only
 * requirement is `fetch`.
 */
import type { ArgumentsOf, Success } from "./client.ts";
import { NoResponse, Refusal } from "./failures.ts";
import { encodeRoute, type Route } from "./route.ts";

export interface ClientOptions {
  /** The organization's URL, such as https://chat.example.com. */
  site: string;
  email?: string;
  apiKey?: string;
  /** Sent as `User-Agent`, for the administrators' logs: the program's name and version. Browsers ignore it. */
  userAgent?: string;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** When to give up waiting for a response, in milliseconds; 30 seconds by default. */
  timeout?: number;
  /**
   * How long to wait in all, in milliseconds, while the server refuses the call because of a rate limit; a minute by
   * default. Such a call had no effect, so it is repeated when the server says. 0 throws the refusal at once.
   */
  rateLimitPatience?: number;
  /** The file of an upload. */
  file?: Blob;
}

export interface Client {
  /**
   * Calls an operation. Throws a `Refusal` if the server refused it, and a `NoResponse` if there was no usable response:
   * whether the call took effect is then unknown.
   */
  call<E>(route: Route<E>, params: ArgumentsOf<E>, options?: CallOptions): Promise<Success<E>>;
  /** Requests a path of the API, such as `/events/stream`; the caller reads the response as it arrives. */
  open?: (path: string, signal: AbortSignal) => Promise<Response>;
}

const usualTimeout = 30_000;
const usualPatience = 60_000;

export function createClient(options: ClientOptions): Client {
  const root = new URL("/api/v1", options.site).href;
  const doFetch = options.fetch ?? globalThis.fetch;
  const headers: Record<string, string> = {};
  if (options.userAgent !== undefined) headers["user-agent"] = options.userAgent;
  if (options.email !== undefined && options.apiKey !== undefined)
    headers["authorization"] = `Basic ${base64(`${options.email}:${options.apiKey}`)}`;

  async function callOnce<E>(
    route: Route<E>,
    params: ArgumentsOf<E>,
    { signal, timeout = usualTimeout, file }: CallOptions,
  ): Promise<Success<E>> {
    const { path, form } = encodeRoute(route, params);
    const limit = limitTo(timeout, signal);
    const request: RequestInit = { method: route.method, headers, signal: limit.signal };
    let url = root + path;
    if (route.method !== "GET") request.body = file ? withFile(form, file) : form;
    else if (form.size > 0) url += `?${form.toString()}`;
    try {
      const response = await doFetch(url, request);
      // The server checks its responses against the declaration; a newer one may add fields.
      return read(response, await response.text()) as Success<E>;
    } catch (error) {
      if (error instanceof Refusal || error instanceof NoResponse) throw error;
      signal?.throwIfAborted();
      // Even if there is a status: its response was cut off.
      throw new NoResponse(undefined, { cause: error });
    } finally {
      limit.end();
    }
  }

  return {
    open: (path, signal) => doFetch(root + path, { headers, signal }),
    async call(route, params, callOptions = {}) {
      const { rateLimitPatience = usualPatience, signal } = callOptions;
      const deadline = Date.now() + rateLimitPatience;
      for (;;) {
        try {
          return await callOnce(route, params, callOptions);
        } catch (error) {
          const wait = error instanceof Refusal && error.status === 429 ? error.retryAfter : undefined;
          if (wait === undefined || Date.now() + wait >= deadline) throw error;
          // A little later than allowed, and not all at once.
          await pause(wait + Math.random() * 250, signal);
        }
      }
    },
  };
}

interface AnyResponse {
  result: "success" | "error";
  msg: string;
  code?: string;
  [extra: string]: unknown;
}

function read(response: Response, text: string): AnyResponse {
  const { status } = response;
  const retryAfter = retryAfterOf(response);
  let body: AnyResponse;
  try {
    body = JSON.parse(text) as AnyResponse; // every API response has these
  } catch (cause) {
    // A proxy responded, or the response was cut off.
    throw new NoResponse(status, { cause, retryAfter });
  }
  if (status < 400 && body.result === "success") return body;
  if (status >= 500 || body.result !== "error") throw new NoResponse(status, { retryAfter });
  const { result: _result, msg, code = "", ...data } = body;
  throw new Refusal(msg, { code, status, data, retryAfter });
}

/** In milliseconds. The header has seconds or a date. */
function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

function withFile(form: URLSearchParams, file: Blob): FormData {
  const body = new FormData();
  for (const [name, value] of form) body.append(name, value);
  body.append("file", file);
  return body;
}

/**
 * A signal for one request: aborted with the caller's, or when the time is up. `AbortSignal.any` and `.timeout` would do the
 * same, but leave something behind for each request in a signal that lives as long as the program.
 */
function limitTo(milliseconds: number, signal: AbortSignal | undefined): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`no response within ${milliseconds} ms`, "TimeoutError")),
    milliseconds,
  );
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

/** Waits, or throws as soon as the signal is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Reads site, e-mail address and API key from the text of a `zuliprc` file, as users download it. */
export function parseZuliprc(text: string): { site: string; email: string; apiKey: string } {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^\s*(\w+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) values.set(name.toLowerCase(), value);
  }
  const given = (name: string): string => {
    const value = values.get(name);
    if (!value) throw new Error(`the zuliprc file has no ${name}`);
    return value;
  };
  return { site: given("site"), email: given("email"), apiKey: given("key") };
}

/** Names and keys may contain any character, but btoa accepts only bytes. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
