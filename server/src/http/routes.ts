/**
 * Maps requests to endpoints. Each path is one route of the HTTP library; the method is determined here, because a POST may
 * specify another one in its form.
 */
import { isRestOfPath, pathNames, type Endpoint, type Surface } from "@skein/api/endpoint.ts";
import { z } from "zod";
import type { Form } from "./form.ts";
import type { BoundEndpoint } from "./handle.ts";
import { planParameters, textOf, type ParameterPlan } from "./parameters.ts";

export interface Route extends BoundEndpoint {
  plan: ParameterPlan;
  /** The parameter that matches the rest of the path. */
  rest: string | undefined;
  answer: z.ZodType;
}
export type Methods = Map<string, Route>;

export const roots: Record<Surface, string> = { keys: "/api/v1", browsers: "/json" };

export function routesByUrl(
  bound: BoundEndpoint[],
  surface: Surface,
): [url: string, methods: Methods, surface: Surface][] {
  const urls = new Map<string, Methods>();
  for (const item of bound) {
    const { endpoint } = item;
    if (endpoint.only !== undefined && endpoint.only !== surface) continue;
    const url = `${roots[surface]}${endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(endpoint, name))}`;
    const methods: Methods = urls.get(url) ?? new Map();
    if (methods.has(endpoint.method)) throw new Error(`two endpoints for ${endpoint.method} ${url}`);
    const answer = z.strictObject(endpoint.returns);
    const rest = pathNames(endpoint.path).find((name) => takesRest(endpoint, name));
    methods.set(endpoint.method, { ...item, plan: planParameters(endpoint), rest, answer });
    urls.set(url, methods);
  }
  return [...urls].map(([url, methods]) => [url, methods, surface]);
}

/** A number in a path matches digits only, so that /users/7 and /users/{email} are two routes. */
function segment(endpoint: Endpoint, name: string): string {
  const schema = endpoint.params[name];
  if (!schema) throw new Error(`${endpoint.operation} does not declare {${name}}`);
  if (takesRest(endpoint, name)) return "*";
  const isNumber = !schema.safeParse("x").success && schema.safeParse("7").data === 7;
  return isNumber ? `:${name}(^\\d+$)` : `:${name}`;
}

const takesRest = ({ params }: Endpoint, name: string): boolean => {
  const schema = params[name];
  return schema !== undefined && isRestOfPath(schema);
};

/** A POST may specify another method, for clients that cannot send it directly. */
export function effectiveMethod(method: string, methods: Methods, form: Form, jsonNames: ReadonlySet<string>): string {
  const named = method === "POST" ? textOf(form, jsonNames, "method") : undefined;
  if (named === undefined || methods.get("POST")?.plan.known.has("method")) return method;
  if (!["PATCH", "PUT", "DELETE"].includes(named)) return method;
  form.delete("method");
  return named;
}

export const allowed = (methods: Methods) => [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])].toSorted();
