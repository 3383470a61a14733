/** The items of the protocol, table by table, and how a test run covers them. */
import { errorCodes, registrationFields, undocumentedOperations } from "../api/test/inventory.ts";
import { Document, readReference } from "../api/test/reference.ts";
import { operationHomes } from "./operation-homes.ts";
import type { ShownRecord } from "./shown-record.ts";

export interface Item {
  name: string;
  /** How many items of the protocol it represents; default: one. */
  count?: number;
  testsIn: (record: ShownRecord) => Set<string>;
  /** The folder of its own tests. */
  home?: string | undefined;
  /** Why no test covers it. */
  reason?: string;
}

export interface Table {
  title: string;
  /** The head of its first column. */
  what: string;
  items: Item[];
}

/** Covered by any test that covers one of these items. */
const oneOf =
  (isMeant: (what: string) => boolean): Item["testsIn"] =>
  (record) =>
    record.testsOf(isMeant);

const homes = operationHomes();
const reference = new Document(readReference());

/** Number parameters match digits; a rest parameter may contain slashes. */
const pathPattern = (path: string): string =>
  path
    .split(/(\{\w+\}|…)/)
    .map((part) => {
      if (part === "…") return ".*";
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return RegExp.escape(part);
      if (name === "path" || name === "filename") return ".+";
      return name.endsWith("_id") ? String.raw`\d+` : "[^/]+";
    })
    .join("");

const isCall = (method: string, path: string): ((what: string) => boolean) => {
  const pattern = new RegExp(`^call ${method} (/api/v1|/json)?${pathPattern(path)}$`);
  return (what) => pattern.test(what);
};

const stub = "a page of the documentation, no operation";
const answeredOtherwise: Record<string, string> = {
  "POST /real-time": stub,
  "POST /rest-error-handling": stub,
  "GET /calls/bigbluebutton/create":
    "refused, as by a reference server that is connected to none: server/src/domain/messages/calls.test.ts",
  "POST /zulip-outgoing-webhook":
    "what bots are sent: server/src/domain/integrations/outgoing-webhooks/webhooks.test.ts",
};

/** A literal path segment has precedence over a parameter: `me` in `/users/me` is not an e-mail address. */
function operationItems(): Item[] {
  const places = [...reference.operations().keys()];
  return places.map((place) => {
    const [method = "", path = ""] = place.split(" ");
    const isMeant = isCall(method, path);
    const rivals = places
      .filter((other) => other !== place && other.startsWith(`${method} `) && isMoreFixed(other, place))
      .map((other) => isCall(method, other.split(" ")[1] ?? ""));
    const testsIn = oneOf((what) => isMeant(what) && !rivals.some((isRival) => isRival(what)));
    const reason = answeredOtherwise[place];
    return { name: place, testsIn, home: homes.get(place), ...(reason === undefined ? {} : { reason }) };
  });
}

const isMoreFixed = (one: string, other: string): boolean => one.split("{").length < other.split("{").length;

const noBilling = "about the reference's own business";
const notSent = "documented, but the reference does not send it";
const noZoom = "there is no connection to Zoom";
const unshownCodes: Record<string, string> = {
  PASSWORD_AUTH_DISABLED: "signing in with a password cannot be switched off",
  PASSWORD_RESET_REQUIRED: "nobody is made to choose another password",
  REALM_UPLOAD_QUOTA: "there is no quota",
  INVALID_ZOOM_TOKEN: noZoom,
  UNKNOWN_ZOOM_USER: noZoom,
  UNAUTHENTICATED_USER: "internal in the reference, too",
  REQUEST_VARIABLE_INVALID: "only in parts the reference has not renewed; BAD_REQUEST says it here",
  INVALID_MARKDOWN_INCLUDE_STATEMENT: "about the reference's own documentation",
  INVALID_ZULIP_SERVER: noBilling,
  PUSH_NOTIFICATIONS_DISALLOWED: noBilling,
  HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR: noBilling,
  REMOTE_SERVER_VERIFICATION_SECRET_NOT_PREPARED: noBilling,
  REMOTE_REALM_SERVER_MISMATCH_ERROR: noBilling,
  MISSING_REMOTE_REALM: noBilling,
  REMOTE_BILLING_UNAUTHENTICATED_USER: noBilling,
  INVALID_REMOTE_PUSH_DEVICE_TOKEN: noBilling,
  REMOTE_SERVER_DEACTIVATED: "defined in the reference, but not used",
  REQUEST_TIMEOUT: "defined in the reference, but not used",
  CANNOT_ADMINISTER_CHANNEL: "defined in the reference, but not used",
  UNAUTHORIZED_PRINCIPAL: "BAD_REQUEST, as the specification has it",
};

/** Only in demo organizations, which Skein does not have; and what levels up to 453 removed or renamed. */
const fieldsNotSent = new Set([
  "demo_organization_scheduled_deletion_date",
  "realm_is_zephyr_mirror_realm",
  "realm_giphy_rating",
  "giphy_rating_options",
]);

const fieldItems = (): Item[] => [
  ...[...registrationFields()].map(([asked, fields]) => ({
    name: `${asked} (${fields.length})`,
    count: fields.length,
    testsIn: (record: ShownRecord) =>
      record.testsOfAll(fields.filter((field) => !fieldsNotSent.has(field)).map((field) => `field ${field}`)),
  })),
  {
    name: "can_subscribe_other_users, receives_typing_notifications",
    count: 2,
    testsIn: () => new Set<string>(),
    reason: notSent,
  },
];

const unsentEvents: Record<string, string> = {
  realm_filters: notSent,
  "realm_bot remove": notSent,
  has_zoom_token: noZoom,
};
const eventItems = (): Item[] =>
  [...reference.events().keys(), "saved_snippets update"].map((event) => ({
    name: event,
    testsIn: oneOf((what) => what === `event ${event}`),
    ...(unsentEvents[event] === undefined ? {} : { reason: unsentEvents[event] }),
  }));

const codeItems = (): Item[] =>
  [...new Set(errorCodes().map(({ code }) => code))].map((code) => {
    const reason = unshownCodes[code];
    const testsIn = oneOf((what) => what.startsWith(`code ${code} `));
    return { name: code, testsIn, ...(reason === undefined ? {} : { reason }) };
  });

const undocumentedItems = (): Item[] =>
  undocumentedOperations()
    .filter(({ tier }) => tier === "A" || tier === "B")
    .map(({ method, path, tier }) => ({
      name: `${method} ${path} (${tier})`,
      home: homes.get(`${method} ${path}`),
      testsIn: oneOf(isCall(method, path)),
    }));

export const tables: Table[] = [
  { title: "Operations of the reference document", what: "operation", items: operationItems() },
  { title: "Operations it leaves out, of tiers A and B", what: "operation", items: undocumentedItems() },
  { title: "Fields of the registration answer", what: "asked for by (fields)", items: fieldItems() },
  { title: "Events", what: "type and op", items: eventItems() },
  { title: "Error codes", what: "code", items: codeItems() },
];
