/** What a service outside is to us: how it is called, what may be set for it, and how its deliveries become messages. */
import type { Formatted } from "./formatter.ts";

/** A parameter of the address a service is given. */
export interface UrlOption {
  key: string;
  label: string;
  isSwitch: boolean;
}

/** A request of the service, as far as it concerns what is said. */
export interface Delivery {
  payload: unknown;
  /** By its name in small letters. */
  header: (name: string) => string | undefined;
  /** A parameter of the address. */
  option: (key: string) => string | undefined;
}

export interface Integration {
  /** In the address. */
  name: string;
  displayName: string;
  /** Between `Zulip` and `Webhook` this is the `client` of its messages. */
  clientName: string;
  /** What `only_events` and `exclude_events` can name; null where a service knows no kinds. */
  eventTypes: readonly string[] | null;
  options: readonly UrlOption[];
  /** The header with the name of a delivery, the same when it is delivered again. */
  deliveryHeader?: string;
  /** How the service proves, with a secret the bot's configuration has, that a body is its own. */
  proof?: Proof;
  /** Pure. Throws UnknownEvent, UnknownShape and MissingHeader. */
  format: (delivery: Delivery) => Formatted;
  /** Fields its callers expect in an answer beside the usual ones. */
  answer?: (refusal: string | undefined) => Record<string, unknown>;
}

export interface Proof {
  header: string;
  /** The header is a keyed hash of the body, perhaps behind a prefix, or the secret itself. */
  kind: "sha256" | "sha256-prefixed" | "secret";
}
