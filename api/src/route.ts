/**
 * An endpoint as far as a client without schemas needs it: where it is, and which of its parameters travel as plain
 * text (all others as JSON). The declaration stands behind it as a type alone.
 */
import type { Endpoint, Method } from "./endpoint.ts";

export interface Route<E = Endpoint> {
  readonly method: Method;
  readonly path: string;
  readonly texts: readonly string[];
  /** Never there: it carries the type of the declaration. */
  readonly declaration?: E;
}
