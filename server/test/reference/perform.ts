/** Sends the calls of an example without printing them: for recording what they return. */
import { readFile } from "node:fs/promises";
import { type AnyExample, type Caller, Reference, type RouteName, type Step } from "@skein/api/examples/example.ts";
import { operations } from "@skein/api/examples/operations.ts";
import { encodeRoute } from "@skein/api/route.ts";
import { exampleFile } from "./example-files.ts";

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export interface Account {
  email: string;
  key: string;
}

/** What steps have taken from responses, by name. */
export type Taken = Map<string, unknown>;

type Call = Pick<Step, "call" | "params" | "as" | "file">;

export class Performer {
  readonly site: string;
  readonly owner: Account;

  constructor(site: string, owner: Account) {
    this.site = site;
    this.owner = owner;
  }

  async performSteps({ first = [] }: AnyExample): Promise<Taken> {
    const taken: Taken = new Map();
    for (const step of first) {
      const { status, body } = await this.send(step, taken);
      if (status !== 200) throw new Error(`${step.call} before the example: ${JSON.stringify(body)}`);
      if (step.take) taken.set(step.take.name, valueAt(body, step.take.path));
    }
    return taken;
  }

  /** Sends a call with the credentials of its caller, or of another account, or none. */
  async send(call: Call, taken: Taken, account: Account | "own" | "none" = "own"): Promise<Answer> {
    const { route } = operations[call.call];
    const { path, form } = encodeRoute(route, resolve(call.params, taken) as Record<string, unknown>);
    return this.request(route.method, path, form, {
      account: account === "own" ? this.#accountOf(call.as, taken) : account,
      file: call.file,
    });
  }

  async request(
    method: string,
    path: string,
    form: URLSearchParams,
    { account, file, userAgent }: { account: Account | "none"; file?: string | undefined; userAgent?: string },
  ): Promise<Answer> {
    const headers: Record<string, string> = {
      ...(account === "none" ? {} : { authorization: `Basic ${btoa(`${account.email}:${account.key}`)}` }),
      ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
    };
    const url = `${this.site}/api/v1${path}`;
    const response =
      method === "GET"
        ? await fetch(form.size > 0 ? `${url}?${form}` : url, { headers, redirect: "manual" })
        : await fetch(url, { method, headers, body: file === undefined ? form : await withFile(form, file) });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as Answer["body"]) : {} };
  }

  #accountOf(as: Caller | undefined, taken: Taken): Account {
    return as === undefined ? this.owner : { email: as.email, key: String(taken.get(as.key)) };
  }
}

async function withFile(form: URLSearchParams, name: string): Promise<FormData> {
  const body = new FormData();
  for (const [field, value] of form) body.append(field, value);
  body.append("file", new Blob([await readFile(exampleFile(name))]), name);
  return body;
}

/** The value with all references replaced. */
export function resolve(value: unknown, taken: Taken): unknown {
  if (value instanceof Reference) return taken.get(value.name);
  if (Array.isArray(value)) return value.map((item) => resolve(item, taken));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, taken)]));
}

/** The value at `.ids[0]` and the like. */
function valueAt(body: unknown, path: string): unknown {
  const [list, field] = path.split("[].");
  if (list !== undefined && field !== undefined)
    return (valueAt(body, list) as Record<string, unknown>[]).map((item) => item[field]);
  let found = body;
  for (const [, name, index] of path.matchAll(/\.(\w+)|\[(-?\d+)\]/g))
    found = name === undefined ? (found as unknown[]).at(Number(index)) : (found as Record<string, unknown>)[name];
  return found;
}

export const callOf = (name: RouteName, example: AnyExample): Call => ({ ...example, call: name });
