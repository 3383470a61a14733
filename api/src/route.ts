/**
 * What a client without schemas needs to know about an endpoint: its path, and which of its parameters are sent as plain
 * text (all others are JSON). The declaration is available only as a type.
 */
import type { Endpoint, Method } from "./endpoint.ts";

export interface Route<E = Endpoint> {
  readonly method: Method;
  readonly path: string;
  readonly texts: readonly string[];
  /** Never set: it only carries the type of the declaration. */
  readonly declaration?: E;
}

/** The path with its parameters filled in, and the other parameters as form text. */
export function encodeRoute(
  { path, texts }: Route<unknown>,
  params: Record<string, unknown>,
): { path: string; form: URLSearchParams } {
  const form = new URLSearchParams();
  let filled = path;
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined) continue;
    // By its declaration, such a parameter is always a string.
    const text = texts.includes(name) ? (value as string) : JSON.stringify(value);
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
    else form.append(name, text);
  }
  return { path: filled, form };
}
