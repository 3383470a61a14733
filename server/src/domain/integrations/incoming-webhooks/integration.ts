/** Describes an external service: its name, its options, and how its deliveries become messages. */
import type { Formatted } from "./formatter.ts";

/** A parameter of the URL that the service is configured with. */
export interface UrlOption {
  key: string;
  label: string;
  isSwitch: boolean;
}

/** The parts of the service's request that determine the messages. */
export interface Delivery {
  payload: unknown;
  /** A header by its lowercase name. */
  header: (name: string) => string | undefined;
  /** A parameter of the URL. */
  option: (key: string) => string | undefined;
}

export interface Integration {
  /** Its name in the URL. */
  name: string;
  displayName: string;
  /** Its messages have the `client` `Zulip…Webhook` with this name in between. */
  clientName: string;
  /** Event names for `only_events` and `exclude_events`; null if the service has no kinds of events. */
  eventTypes: readonly string[] | null;
  options: readonly UrlOption[];
  /** The header with the delivery's id, which stays the same when it is redelivered. */
  deliveryHeader?: string;
  /** How the service signs a body with the secret in the bot's configuration. */
  proof?: Proof;
  /** Pure. Throws UnknownEvent, UnknownShape or MissingHeader. */
  format: (delivery: Delivery) => Formatted;
  /** Additional response fields that its callers expect. */
  answer?: (refusal: string | undefined) => Record<string, unknown>;
}

export interface Proof {
  header: string;
  /** The header contains an HMAC of the body, with or without a prefix, or the secret itself. */
  kind: "sha256" | "sha256-prefixed" | "secret";
}
