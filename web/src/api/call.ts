/** Calls an endpoint, typed by its declaration but without loading its schemas. */
import type { ArgumentsOf, Success } from "@skein/api/client.ts";
import { NoResponse, Refusal } from "@skein/api/failures.ts";
import { encodeRoute, type Route } from "@skein/api/route.ts";
import { noteMaintenance } from "./maintenance.ts";
import { confirmReader } from "./step-up.ts";
import { confirmSession, isSignedOut, sessionToken, signedInAgain } from "./session.ts";

export interface CallOptions {
  signal?: AbortSignal;
  /** When to give up waiting for a response. */
  timeout?: number;
  /** For endpoints that take a file. */
  file?: File;
  /** The response to this very call, if the request was already made. */
  ahead?: Promise<Response> | undefined;
}

const usualTimeout = 30_000;

export async function call<E>(
  route: Route<E>,
  params: ArgumentsOf<E>,
  { signal, timeout = usualTimeout, file, ahead }: CallOptions = {},
): Promise<Success<E>> {
  const { path, form } = encodeRoute(route, params);
  const isRead = route.method === "GET";
  const query = isRead && form.size > 0 ? `?${form.toString()}` : "";
  const send = (): Promise<Response> => {
    const late = AbortSignal.timeout(timeout);
    return fetch(`/json${path}${query}`, {
      method: route.method,
      signal: signal ? AbortSignal.any([signal, late]) : late,
      ...(isRead ? {} : { body: file ? withFile(form, file) : form, headers: { "x-csrftoken": sessionToken() } }),
    });
  };
  for (let early = ahead, confirmed: string | undefined; ; early = undefined) {
    // Another account may have logged in: send nothing until that is known.
    if (isSignedOut.peek()) await signedInAgain();
    const token = sessionToken();
    const response = await responseOf(early ?? send());
    noteMaintenance(response);
    if (response.status === 401) {
      await signedInAgain();
      continue;
    }
    try {
      return (await read(response)) as Success<E>; // the server checks its responses against the declaration
    } catch (error) {
      if (error instanceof Refusal && error.code === "STEP_UP_REQUIRED") {
        await confirmReader(error);
        continue;
      }
      const isOtherSession = error instanceof Refusal && error.code === "CSRF_FAILED" && confirmed !== token;
      if (!isOtherSession) throw error;
      await confirmSession();
      confirmed = sessionToken();
    }
  }
}

function withFile(form: URLSearchParams, file: File): FormData {
  const body = new FormData();
  for (const [name, value] of form) body.append(name, value);
  body.append("file", file, file.name);
  return body;
}

async function responseOf(request: Promise<Response>): Promise<Response> {
  try {
    return await request;
  } catch (cause) {
    throw new NoResponse(undefined, { cause });
  }
}

interface AnyResponse {
  result: "success" | "error";
  msg: string;
  code?: string;
  [extra: string]: unknown;
}

async function read(response: Response): Promise<AnyResponse> {
  if (response.status >= 500) throw new NoResponse(response.status);
  let body: AnyResponse;
  try {
    body = (await response.json()) as AnyResponse; // every API response has these
  } catch (cause) {
    throw new NoResponse(response.status, { cause });
  }
  if (body.result === "success") return body;
  const { result: _result, msg, code = "", ...data } = body;
  throw new Refusal(msg, { code, status: response.status, data });
}
