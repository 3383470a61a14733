/** A call of an endpoint, typed by its declaration and knowing nothing of schemas. */
import type { ArgumentsOf, Success } from "@skein/api/client.ts";
import type { Route } from "@skein/api/route.ts";
import { NoAnswer, Refusal } from "./failures.ts";
import { csrfToken } from "./ahead.ts";
import { signedInAgain } from "./session.ts";

export interface CallOptions {
  signal?: AbortSignal;
  /** After how long no answer is to be expected. */
  timeout?: number;
  /** The answer to this very call, if it was made already. */
  ahead?: Promise<Response> | undefined;
}

const usualTimeout = 30_000;

export async function call<E>(
  route: Route<E>,
  params: ArgumentsOf<E>,
  { signal, timeout = usualTimeout, ahead }: CallOptions = {},
): Promise<Success<E>> {
  const { path, form } = encode(route, params);
  const isRead = route.method === "GET";
  const query = isRead && form.size > 0 ? `?${form.toString()}` : "";
  const ask = (): Promise<Response> => {
    const late = AbortSignal.timeout(timeout);
    return fetch(`/json${path}${query}`, {
      method: route.method,
      signal: signal ? AbortSignal.any([signal, late]) : late,
      ...(isRead ? {} : { body: form, headers: { "x-csrftoken": csrfToken() } }),
    });
  };
  for (let answer = ahead; ; answer = undefined) {
    const response = await answerTo(answer ?? ask());
    if (response.status === 401) {
      await signedInAgain();
      continue;
    }
    return (await read(response)) as Success<E>; // the server holds its answers to the declaration
  }
}

async function answerTo(asked: Promise<Response>): Promise<Response> {
  try {
    return await asked;
  } catch (cause) {
    throw new NoAnswer(undefined, { cause });
  }
}

interface AnyAnswer {
  result: "success" | "error";
  msg: string;
  code?: string;
  [extra: string]: unknown;
}

async function read(response: Response): Promise<AnyAnswer> {
  if (response.status >= 500) throw new NoAnswer(response.status);
  let answer: AnyAnswer;
  try {
    answer = (await response.json()) as AnyAnswer; // every answer of the API has these
  } catch (cause) {
    throw new NoAnswer(response.status, { cause });
  }
  if (answer.result === "success") return answer;
  const { result: _result, msg, code = "", ...data } = answer;
  throw new Refusal(msg, { code, status: response.status, data });
}

/** The path with its parameters in place, the others as form text. */
export function encode(
  { path, texts }: Route<unknown>,
  params: Record<string, unknown>,
): { path: string; form: URLSearchParams } {
  const form = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    // A declaration takes nothing but texts where it says so.
    const text = texts.includes(name) ? (value as string) : JSON.stringify(value);
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(text));
    else form.append(name, text);
  }
  return { path: filled, form };
}
