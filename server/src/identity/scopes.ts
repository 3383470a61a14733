/** Whether the key of a request may be used for something. Sessions, and keys from signing in, have all scopes. */
import { scopesOfTypes, typesWithin } from "@skein/api/event-scopes.ts";
import type { Scope } from "@skein/api/scopes.ts";
import { insufficientScope } from "../errors.ts";
import type { User } from "./account.ts";

export function requireScope(user: User, scope: Scope | null): void {
  const granted = user.credential?.scopes;
  if (granted !== undefined && scope !== null && !granted.has(scope)) throw insufficientScope([scope]);
}

/** Throws unless the key may be told events of these types; of all types if undefined. */
export function requireScopesOfTypes(user: User, types: Iterable<string> | undefined): void {
  const granted = user.credential?.scopes;
  if (granted === undefined) return;
  const missing = scopesOfTypes(types).filter((scope) => !granted.has(scope));
  if (missing.length > 0) throw insufficientScope(missing);
}

interface RequestedTypes {
  event_types?: string[] | null | undefined;
  fetch_event_types?: string[] | null | undefined;
}

/**
 * A registration's parameters, limited to what the key may be told. Events that are asked for by name have to be permitted;
 * state that is not permitted is left out, because clients of many releases ask for a long list of it.
 */
export function withinScopes<P extends RequestedTypes>(user: User, params: P): P {
  const granted = user.credential?.scopes;
  if (granted === undefined) return params;
  if (params.event_types) requireScopesOfTypes(user, params.event_types);
  const { fetch_event_types } = params;
  return {
    ...params,
    event_types: params.event_types ?? typesWithin(granted),
    ...(fetch_event_types ? { fetch_event_types: typesWithin(granted, fetch_event_types) } : {}),
  };
}
