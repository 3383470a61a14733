/**
 * Validates every response and event in tests against the protocol's reference document, if that is beside the project.
 * The list below has the exceptions, where our specification overrides the document or the document is wrong.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { parse } from "yaml";

const documentFile = new URL("../../../shared/reference/openapi-365.yaml", import.meta.url);

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Prepares the document for all test files; undefined if it does not exist. */
export function prepareReference(folder: string): string | undefined {
  if (!existsSync(documentFile)) return undefined;
  const document = parse(readFileSync(documentFile, "utf8"), { maxAliasCount: -1 }) as Json; // YAML without tags
  mkdirSync(join(folder, "reference"));
  const path = join(folder, "reference", "document.json");
  writeFileSync(path, JSON.stringify(toJsonSchema(document)));
  return path;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

/** Converts OpenAPI 3.0 to JSON Schema. Variants may overlap, so one match is enough. */
function toJsonSchema(value: Json): Json {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isObject(value)) return value;
  const { example: _, description: __, nullable, oneOf, ...rest } = value;
  const schema: JsonObject = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, toJsonSchema(inner)]));
  if (isObject(value["example"])) schema["example"] = toJsonSchema(value["example"]); // a field of that name
  if (isObject(value["description"])) schema["description"] = toJsonSchema(value["description"]);
  if (oneOf !== undefined) schema["anyOf"] = toJsonSchema(oneOf);
  return nullable === true ? { anyOf: [schema, { type: "null" }] } : schema;
}

interface Excuse {
  /** Method and path, or the event's type and op. */
  place: RegExp;
  /** The position in the response, and the error there. */
  what: RegExp;
  reason: string;
}

const excuses: Excuse[] = [
  {
    place: /^event message$/,
    what: /local_(message_)?id is not known/,
    reason: "the sending queue's own name for the message: one field is the specification's, one the reference's",
  },
  {
    place: /^GET \/users\/me$/,
    what: /bot_(type|owner_id) is not known/,
    reason: "the specification's user object has them, and a bot may want to know",
  },
  {
    place: /^event realm_user update$/,
    what: /\/person(\/avatar_\w+ (is not known|must be string)| must match)/,
    reason: "avatar_url is null for clients that compute Gravatar addresses, as in the user object",
  },
  {
    place: /^event subscription update$/,
    what: /\/value must/,
    reason: "null sets a notification choice back to the user's own default",
  },
  {
    place: /^event stream update$/,
    what: /\/value must/,
    reason: "first_message_id is null again when the last message of a channel goes",
  },
  {
    place: /^event realm update_dict$/,
    what: /\/data\/(wildcard_mention|create_\w+_stream)_policy is not known/,
    reason: "the older forms of a permission, which registration still tells, change with it",
  },
  {
    place: /^(POST \/register|event realm update_dict)$/,
    what: /can_resolve_topics_group is not known/,
    reason: "of level 367, which is newer than the document",
  },
  {
    place: /^event saved_snippets update$/,
    what: /is not known/,
    reason: "of level 368, likewise",
  },
  {
    place: /^POST \/register$/,
    what: /navigation_tour_video_url is not known/,
    reason: "of level 369, likewise",
  },
  {
    place: /stream|subscription|register|channel/,
    what: /\/(subscriber_count|topics_policy|folder_id|can_(create_topic|delete_(any|own)_message|resolve_topics|move_messages_(out_of|within)_channel)_group) is not known$/,
    reason: "fields of channels of levels 389 to 441, likewise",
  },
  {
    place: /^(POST \/register|event realm update(_dict)?)$/,
    what: /\/(realm_)?(can_set_(delete_message|topics)_policy_group|topics_policy|send_channel_events_messages) is not known$/,
    reason: "of levels 392, 407 and 434, likewise",
  },
  {
    place: /^event channel_folder \w+$/,
    what: /is not known/,
    reason: "of levels 389 and 418, likewise",
  },
  {
    place: /^POST \/register$/,
    what: /channel_folder/,
    reason: "of levels 389 to 418, likewise",
  },
  {
    place: /^(POST|PATCH) \/users\/me\/subscriptions$/,
    what: /new_subscription_messages_sent is not known/,
    reason: "of level 397, likewise",
  },
  {
    place: /users|register|event realm_user (add|update)/,
    what: /is_imported_stub is not known/,
    reason: "of level 433, likewise",
  },
  {
    place: /profile_fields|register/,
    what: /use_for_user_matching is not known/,
    reason: "of level 455, likewise",
  },
  {
    place: /^(POST \/register|event realm update_dict)$/,
    what: /(realm_uuid|realm_owner_full_content_access|gif_rating_policy(_options)?|tenor_api_key|default_avatar_source|rendered_description) is not known/,
    reason: "of levels 438 to 466, likewise",
  },
  {
    place: /^(\w+ \/export\/realm(\/consents)?|event realm_export)$/,
    what: /export_type must be|email_address_visibility is not known/,
    reason: "of levels 430 and 449, likewise",
  },
  {
    place: /^(POST \/register|event realm update(_dict)?)$/,
    what: /realm_(api_key_max_days|second_factor_required_for) is not known/,
    reason: "our own: how long keys can be valid, and who needs a second factor",
  },
  {
    place: /^(POST \/register|event realm update(_dict)?)$/,
    what: /(idle_queue_timeout_secs|max_bulk_new_subscription_messages|max_reminder_note_length|welcome_message_custom_text|navigation_views|reminders|server_report_message_types|require_e2ee_push_notifications) is not known/,
    reason: "of levels 381 to 481, likewise",
  },
  {
    place: /^POST \/register$/,
    what: /(user_settings|realm_user_settings_defaults)\/(web_\w+|resolved_topic_notice_auto_read_policy) is not known/,
    reason: "of levels 385 to 431, likewise",
  },
  {
    place: /^(POST \/register|GET \/users\/me\/subscriptions|event subscription add)$/,
    what: /partial_subscribers is not known/,
    reason: "of level 412, likewise",
  },
  {
    place: /^(POST|PATCH) \/users\/me\/subscriptions$/,
    what: /new_subscription_messages_sent is not known/,
    reason: "of level 397, likewise",
  },
  {
    place: /^POST \/register$/,
    what: /realm_incoming_webhook_bots\/\*\/url_options is not known/,
    reason: "of level 403, likewise",
  },
  {
    place: /^event presence$/,
    what: /presences is not known|must have required property/,
    reason: "of level 419, likewise",
  },
  {
    place: /^event (reminders|navigation_view) /,
    what: /is not known/,
    reason: "of levels 390 and 399, likewise",
  },
  {
    place: /^event (api_key (add|update|remove)|audit_log add)$/,
    what: /is not known/,
    reason: "our own: keys with names, scopes and an end",
  },
  {
    place: /^(POST \/register|GET \/user_groups|event user_group (add|update))$/,
    what: /managed_by is not known/,
    reason: "our own: groups that the organization's directory manages",
  },
  {
    place: /^event realm_import$/,
    what: /is not known/,
    reason: "our own: imports of other chats' history, for owners",
  },
];

export class ReferenceAnswers {
  readonly #document: JsonObject;
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  readonly #places: { method: string; pattern: RegExp; path: string }[];
  readonly #validators = new Map<string, ValidateFunction | undefined>();

  constructor(path: string) {
    this.#document = JSON.parse(readFileSync(path, "utf8")) as JsonObject; // written by prepareReference
    this.#ajv.addSchema(this.#document, "reference");
    this.#places = Object.entries(object(this.#document["paths"])).flatMap(([template, methods]) =>
      Object.keys(object(methods)).map((method) => ({
        method: method.toUpperCase(),
        path: template,
        pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      })),
    );
    // A literal path segment has precedence over a parameter.
    this.#places.sort((a, b) => a.path.split("{").length - b.path.split("{").length);
  }

  /** The errors of a successful response, without the exceptions. */
  complaints(method: string, path: string, body: unknown): string[] {
    const place = this.#places.find((one) => one.method === method && one.pattern.test(path));
    if (!place) return [];
    if (place.path === "/events" && method === "GET") return this.#eventComplaints(body);
    const pointer = `/paths/${escape(place.path)}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
    return this.#complain(`${method} ${place.path}`, pointer, body);
  }

  #eventComplaints(body: unknown): string[] {
    const { events } = body as { events: { type: string; op?: string }[] }; // our own declaration saw to that
    const answer = "/paths/~1events/get/responses/200/content/application~1json/schema/allOf/1/properties/events/items";
    const variants = list(object(this.#at(answer))["anyOf"]);
    return events.flatMap((event) => {
      if (event.type === "heartbeat") return [];
      const fitting = variants.flatMap((variant, index) => (fits(object(variant), event) ? [index] : []));
      const name = ["event", event.type, ...(event.op === undefined ? [] : [event.op])].join(" ");
      if (fitting.length === 0) return this.#unexcused(name, ["is not known"]);
      const found = fitting.map((index) => this.#complain(name, `${answer}/anyOf/${index}`, event));
      return found.find((complaints) => complaints.length === 0) ?? found[0] ?? [];
    });
  }

  #at(pointer: string): Json | undefined {
    let value: Json | undefined = this.#document;
    for (const key of pointer.slice(1).split("/")) {
      const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
      value = Array.isArray(value) ? value[Number(name)] : object(value)[name];
    }
    return value;
  }

  #complain(place: string, pointer: string, body: unknown): string[] {
    if (!this.#validators.has(pointer)) {
      const isThere = this.#at(pointer) !== undefined;
      this.#validators.set(pointer, isThere ? this.#ajv.compile({ $ref: `reference#${pointer}` }) : undefined);
    }
    const validate = this.#validators.get(pointer);
    if (!validate || validate(body)) return [];
    return this.#unexcused(place, (validate.errors ?? []).map(describe));
  }

  #unexcused(place: string, complaints: string[]): string[] {
    return [...new Set(complaints)]
      .filter((what) => !excuses.some((excuse) => excuse.place.test(place) && excuse.what.test(what)))
      .map((what) => `${place}: ${what}`);
  }
}

const escape = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** Whether a variant of an event is for this type and op. */
function fits(variant: JsonObject, event: { type: string; op?: string }): boolean {
  const allows = (name: "type" | "op") => {
    const declared = JSON.stringify(
      [...list(variant["allOf"]), variant].map((part) => object(object(part)["properties"])[name] ?? null),
    );
    const value = event[name];
    return value === undefined || declared.includes(JSON.stringify(value));
  };
  return allows("type") && allows("op");
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const where = instancePath.replaceAll(/\/\d+/g, "/*");
  if (keyword === "additionalProperties") return `${where}/${String(params["additionalProperty"])} is not known`;
  return `${where} ${message ?? keyword}`;
}
