/** A client that is typed by the endpoint declarations. Its only requirement is `fetch`. */
import { z } from "zod";
import { isRequired, pathNames, type Endpoint, type Method, type ParamTypes, type ReturnsOf } from "./endpoint.ts";

export interface ClientOptions {
  /** The organization's URL, such as https://chat.example.com. */
  site: string;
  email?: string;
  apiKey?: string;
  fetch?: typeof fetch;
}

type OptionalParams<P extends ParamTypes> = {
  [K in keyof P]: undefined extends z.input<P[K]> ? K : never;
}[keyof P];

type Arguments<P extends ParamTypes> = { [K in Exclude<keyof P, OptionalParams<P>>]: z.output<P[K]> } & {
  [K in OptionalParams<P>]?: z.output<P[K]>;
};

/** The arguments of a call: parameters with a default are optional. */
export type ArgumentsOf<E> = E extends Endpoint<infer P> ? Arguments<P> : never;

export type Success<E> = {
  result: "success";
  msg: string;
  ignored_parameters_unsupported?: string[];
} & ReturnsOf<E>;

export interface Failure {
  result: "error";
  msg: string;
  /** Absent for errors at the HTTP level, such as a method that is not allowed. */
  code?: string;
  [extra: string]: unknown;
}

export type ApiResponse<E> = Success<E> | Failure;

export interface CallOptions {
  signal?: AbortSignal;
}

export interface Client {
  call<E extends Endpoint>(endpoint: E, params: ArgumentsOf<E>, options?: CallOptions): Promise<ApiResponse<E>>;
  /** Like `call`, but without a declaration: `path` and `form` are sent as they are. */
  request(method: Method, path: string, form?: Record<string, string>, options?: CallOptions): Promise<unknown>;
  /** Like `request`, but returns the HTTP response. */
  send(method: Method, path: string, form?: Record<string, string>, options?: CallOptions): Promise<Response>;
}

export function createClient(options: ClientOptions): Client {
  const root = new URL("/api/v1", options.site).href;
  const doFetch = options.fetch ?? globalThis.fetch;
  const headers: Record<string, string> =
    options.email === undefined || options.apiKey === undefined
      ? {}
      : { authorization: `Basic ${base64(`${options.email}:${options.apiKey}`)}` };

  const client: Client = {
    async call(endpoint, params, callOptions) {
      const { path, form } = encodeCall(endpoint, params);
      // The server validates its responses; the client does not, because a newer server may add fields.
      return (await client.request(endpoint.method, path, form, callOptions)) as never;
    },
    async request(method, path, form, callOptions) {
      const response = await client.send(method, path, form, callOptions);
      const text = await response.text();
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new Error(`${method} ${path} returned status ${response.status} with a body that is not JSON`, { cause });
      }
    },
    send(method, path, form = {}, { signal } = {}) {
      const fields = new URLSearchParams(form);
      const init: RequestInit = { method, headers, ...(signal ? { signal } : {}) };
      if (method === "GET") return doFetch(`${root}${path}${fields.size > 0 ? `?${fields.toString()}` : ""}`, init);
      return doFetch(`${root}${path}`, { ...init, body: fields });
    },
  };
  return client;
}

/** Encodes a call: parameters of the path are filled in, the others become form fields. */
export function encodeCall<E extends Endpoint>(
  endpoint: E,
  params: ArgumentsOf<E>,
): { path: string; form: Record<string, string> } {
  const given: Record<string, unknown> = params;
  const inPath = pathNames(endpoint.path);
  const texts: Record<string, string> = {};
  for (const [name, parameter] of Object.entries(endpoint.params)) {
    const value = given[name];
    if (value === undefined && !isRequired(parameter)) continue;
    // Every parameter is a string on the wire; others cannot be declared.
    texts[name] = z.encode(parameter, value) as string;
  }
  const path = inPath.reduce(
    (done, name) => done.replace(`{${name}}`, encodeURIComponent(texts[name] ?? "")),
    endpoint.path,
  );
  return { path, form: Object.fromEntries(Object.entries(texts).filter(([name]) => !inPath.includes(name))) };
}

/** Names and keys may contain any character, but btoa accepts only bytes. */
const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
