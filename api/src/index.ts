/**
 * What programs import as `@skein/api`: a client, the event loop, and every operation by its name. Nothing here loads a
 * schema; the types come from the declarations.
 */
export { applyEvent } from "./apply-event.ts";
export type { ArgumentsOf, Success } from "./client.ts";
export type { Event, EventType, QueuedEvent } from "./events.ts";
export { NoResponse, Refusal } from "./failures.ts";
export {
  followEvents,
  type EventParams,
  type EventPosition,
  type FollowedEvents,
  type FollowOptions,
  type Registration,
} from "./follow-events.ts";
export type { DeliveredMessage } from "./messages.ts";
export type { RegistrationState } from "./registration.ts";
export type { Route } from "./route.ts";
export { createClient, parseZuliprc, type CallOptions, type Client, type ClientOptions } from "./route-client.ts";
export * from "./routes.ts";
export type { FollowedState, RegistrationOptions } from "./state/followed-state.ts";
