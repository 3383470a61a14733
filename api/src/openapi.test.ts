/**
 * Our contract held against the reference's own document. Every difference is either a mistake or stands in a list
 * below with its reason.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Document, readReference, type Operation } from "../test/reference.ts";
import { endpoints } from "./all.ts";
import { toOpenApi, type JsonSchema } from "./openapi.ts";

const ourDocument = toOpenApi(endpoints);
// The document is JSON; its type only says more than a schema's.
const ours = new Document(ourDocument as unknown as JsonSchema);
const theirs = new Document(readReference());

/** What a list of differences may hold, and why. A key stands for itself and all that is inside it. */
type Allowed = Record<string, string>;

const forAllQueues = "registration parameters are taken when queue_id is left out, as the specification has it";
const paramsOnlyOurs: Allowed = {
  "POST /register queue_lifespan_secs": "taken by the reference too, though its document does not tell",
  "POST /register client_capabilities.": "the reference's document describes the keys in prose only",
  "GET /events event_types": forAllQueues,
  "GET /events apply_markdown": forAllQueues,
  "GET /events client_gravatar": forAllQueues,
  "GET /events include_subscribers": forAllQueues,
  "GET /events slim_presence": forAllQueues,
  "GET /events all_public_streams": forAllQueues,
  "GET /events narrow": forAllQueues,
  "GET /events client_capabilities": forAllQueues,
  "GET /events queue_lifespan_secs": forAllQueues,
};
const paramsOnlyTheirs: Allowed = {};
const requiredDiffers: Allowed = { "GET /events queue_id": forAllQueues };
const paramTypesDiffer: Allowed = {};

const later = "its area is not there yet";
const fieldsOnlyOurs: Allowed = {
  "GET /users/me bot_type": "the specification's user object has it, and a bot may want to know",
  "GET /users/me bot_owner_id": "the specification's user object has it, and a bot may want to know",
  "GET /server_settings authentication_methods{}": "one key for each identity provider, whichever there are",
};
const fieldsOnlyTheirs: Allowed = {
  "GET /server_settings authentication_methods.": "one key for each identity provider, whichever there are",
  "POST /register can_subscribe_other_users": "documented, but the reference does not send it",
  "POST /register receives_typing_notifications": "documented at this place, but the reference does not send it",
  "POST /register realm_users[].is_active": "documented, but the reference does not send it: the list tells",
  "POST /register realm_non_active_users[].is_active": "documented, but the reference does not send it: the list tells",
  "POST /register cross_realm_bots[].is_active": "documented, but the reference does not send it: the list tells",
  ...Object.fromEntries(
    [
      "alert_words",
      "custom_profile_field_types",
      "custom_profile_fields",
      "drafts",
      "giphy_api_key",
      "has_zoom_token",
      "muted_topics",
      "muted_users",
      "onboarding_steps",
      "presence_last_update_id",
      "presences",
      "realm_billing",
      "realm_bots",
      "realm_default_stream_groups",
      "realm_domains",
      "realm_embedded_bots",
      "realm_emoji",
      "realm_incoming_webhook_bots",
      "realm_playgrounds",
      "saved_snippets",
      "scheduled_messages",
      "server_timestamp",
      "stop_words",
      "user_status",
      "user_topics",
    ].map((name) => [`POST /register ${name}`, later]),
  ),
};
const fieldTypesDiffer: Allowed = {};

const eventsDiffer: Allowed = {
  "message local_message_id": "sent by the reference to the sending queue, though its document does not tell",
  "message local_id": "the specification's name of the same",
  "subscription update value": "null sets a notification choice back to the user's own default",
  "stream update value": "null sets message_retention_days back to the organization's",
  "realm_user update person.avatar_url": "null for clients that compute Gravatar addresses, as in the user object",
  "realm update_dict data": "any field of the registration answer, so its names are not listed a second time",
};

const isAllowed = (difference: string, allowed: Allowed): boolean =>
  Object.keys(allowed).some(
    (key) =>
      difference === key ||
      (difference.startsWith(key) && (key.endsWith(".") || /^[.[{]/.test(difference.slice(key.length)))),
  );

/** What differs and is not allowed to, and what is allowed to and does not differ. */
function unexplained(differences: string[], allowed: Allowed): string[] {
  const stale = Object.keys(allowed).filter((key) => !differences.some((found) => isAllowed(found, { [key]: "" })));
  return [...differences.filter((difference) => !isAllowed(difference, allowed)), ...stale];
}

const reference = theirs.operations();
// Events are compared one by one below.
const isEvent = (name: string): boolean => name.startsWith("events[]");

const compared = [...ours.operations().values()].map((own) => ({ own, other: reference.get(own.place) }));

const differing = (difference: (own: Operation, other: Operation) => Iterable<string>): string[] =>
  compared.flatMap(({ own, other }) =>
    other ? [...difference(own, other)].filter((name) => !isEvent(name)).map((name) => `${own.place} ${name}`) : [],
  );

const namesOnlyIn = (here: Map<string, unknown>, there: Map<string, unknown>): string[] =>
  [...here.keys()].filter((name) => !there.has(name));

/** The names whose types on one side are not all among those on the other. */
const namesBeyond = (narrow: Map<string, Set<string>>, wide: Map<string, Set<string>>): string[] =>
  [...narrow].flatMap(([name, types]) => {
    const allowed = wide.get(name);
    return allowed && allowed.size > 0 && [...types].some((type) => !allowed.has(type)) ? [name] : [];
  });

test("the written document is up to date: `npm run openapi` writes it", () => {
  const written = readFileSync(new URL("../openapi.json", import.meta.url), "utf8");

  expect(written).toBe(`${JSON.stringify(ourDocument, null, 2)}\n`);
});

/** Routes of the reference that its document leaves out. */
const undocumented = ["POST /users/me/api_key/regenerate"];

test("every operation is the reference's, at the same place and by the same name", () => {
  expect(compared.filter(({ own, other }) => own.name !== other?.name).map(({ own }) => own.place)).toEqual(
    undocumented,
  );
});

test("parameters are the reference's", () => {
  expect(
    unexplained(
      differing((own, other) => namesOnlyIn(own.params, other.params)),
      paramsOnlyOurs,
    ),
  ).toEqual([]);
  expect(
    unexplained(
      differing((own, other) => namesOnlyIn(other.params, own.params)),
      paramsOnlyTheirs,
    ),
  ).toEqual([]);
});

test("parameters are required where the reference's are", () => {
  expect(
    unexplained(
      differing((own, other) =>
        [...own.required, ...other.required].filter((name) => own.required.has(name) !== other.required.has(name)),
      ),
      requiredDiffers,
    ),
  ).toEqual([]);
});

test("parameters take every type the reference takes", () => {
  expect(
    unexplained(
      differing((own, other) => namesBeyond(other.params, own.params)),
      paramTypesDiffer,
    ),
  ).toEqual([]);
});

test("answers have the reference's fields", () => {
  expect(
    unexplained(
      differing((own, other) => namesOnlyIn(own.fields, other.fields)),
      fieldsOnlyOurs,
    ),
  ).toEqual([]);
  expect(
    unexplained(
      differing((own, other) => namesOnlyIn(other.fields, own.fields)),
      fieldsOnlyTheirs,
    ),
  ).toEqual([]);
});

test("answers have no types the reference's have not", () => {
  expect(
    unexplained(
      differing((own, other) => namesBeyond(own.fields, other.fields)),
      fieldTypesDiffer,
    ),
  ).toEqual([]);
});

test("events have the reference's fields and types", () => {
  const known = theirs.events();
  const differences = [...ours.events()].flatMap(([event, fields]) => {
    const other = known.get(event) ?? new Map<string, Set<string>>();
    return [...namesOnlyIn(fields, other), ...namesOnlyIn(other, fields), ...namesBeyond(fields, other)].map(
      (name) => `${event} ${name}`,
    );
  });

  expect([...ours.events().keys()].filter((event) => !known.has(event))).toEqual([]);
  expect(unexplained(differences, eventsDiffer)).toEqual([]);
});
