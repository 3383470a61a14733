/**
 * Compares our contract with the reference's own document. Every difference is either a mistake or is in a list
 * below with its reason.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Document, readReference, type Operation, type Presence } from "../test/reference.ts";
import { documentedEndpoints, endpoints } from "./all.ts";
import { documentPath, toOpenApi, type JsonSchema, type OpenApiDocument } from "./openapi.ts";

const ourDocument = toOpenApi(documentedEndpoints);
// The document is JSON; only its type is more specific than a schema's.
const ours = new Document(splitDocument() as unknown as JsonSchema);
const theirs = new Document(readReference());

/** The reference has paths that differ only in the names of their parameters, which our document cannot have. */
function splitDocument(): OpenApiDocument {
  const byEmail = toOpenApi(endpoints.filter(({ path }) => path === "/users/{email}"));
  const others = toOpenApi(endpoints.filter(({ path }) => path !== "/users/{email}"));
  const schemas = { ...others.components.schemas, ...byEmail.components.schemas };
  return { ...others, paths: { ...others.paths, ...byEmail.paths }, components: { ...others.components, schemas } };
}

/** The allowed differences with their reasons. A key stands for itself and everything inside it. */
type Allowed = Record<string, string>;

const forAllQueues = "registration parameters are taken when queue_id is left out, as the specification has it";
const valuesInProse = "the reference's document describes the content only in examples";
const ofLaterLevels = "of levels 385 to 431; the document is of level 365";
/** Of levels above that of the document: what channels decide for themselves, and how many are in them. */
const laterPermissions = [
  "can_create_topic_group",
  "can_delete_any_message_group",
  "can_delete_own_message_group",
  "can_move_messages_out_of_channel_group",
  "can_move_messages_within_channel_group",
  "can_resolve_topics_group",
];
const later = (places: string[], names: string[]): Allowed =>
  Object.fromEntries(
    places.flatMap((place) =>
      names.map((name) => [`${place}${name}`, "of a level from 389 to 441; the document is of level 365"]),
    ),
  );
const laterInChannels = (places: string[]): Allowed =>
  later(places, ["folder_id", "subscriber_count", "topics_policy", ...laterPermissions]);

const paramsOnlyOurs: Allowed = {
  ...later(
    ["POST /users/me/subscriptions ", "PATCH /streams/{stream_id} "],
    ["folder_id", "topics_policy", ...laterPermissions],
  ),
  ...later(["POST /users/me/subscriptions "], ["send_new_subscription_messages"]),
  "POST /register queue_lifespan_secs": "accepted by the reference too, though not documented",
  "POST /register idle_queue_timeout": "of level 481; the document is of level 365",
  "PATCH /messages/{message_id} prev_content_sha256": "of level 379; the document is of level 365",
  "GET /users user_ids": "of level 384; the document is of level 365",
  "POST /users/me/subscriptions send_new_subscription_messages": "of level 397; the document is of level 365",
  "POST /invites welcome_message_custom_text": "of level 416; the document is of level 365",
  "POST /invites/multiuse welcome_message_custom_text": "of level 416; the document is of level 365",
  "PATCH /settings target_users": "of level 444; the document is of level 365",
  "DELETE /users/{user_id} actions": "of level 459; the document is of level 365",
  "POST /realm/profile_fields use_for_user_matching": "of level 455; the document is of level 365",
  "GET /messages anchor_date": "of level 445; the document is of level 365",
  "PATCH /settings resolved_topic_notice_auto_read_policy": ofLaterLevels,
  "PATCH /settings web_inbox_show_channel_folders": ofLaterLevels,
  "PATCH /settings web_left_sidebar_show_channel_folders": ofLaterLevels,
  "PATCH /settings web_left_sidebar_unreads_count_summary": ofLaterLevels,
  "PATCH /realm/user_settings_defaults resolved_topic_notice_auto_read_policy": ofLaterLevels,
  "PATCH /realm/user_settings_defaults web_inbox_show_channel_folders": ofLaterLevels,
  "PATCH /realm/user_settings_defaults web_left_sidebar_show_channel_folders": ofLaterLevels,
  "PATCH /realm/user_settings_defaults web_left_sidebar_unreads_count_summary": ofLaterLevels,
  "POST /register client_capabilities.": "the reference's document describes the keys in prose only",
  "POST /fetch_api_key second_factor_code": "the reference has no second factor",
  "POST /messages widget_content": "accepted by the reference too, though not documented",
  "GET /events event_types": forAllQueues,
  "GET /events apply_markdown": forAllQueues,
  "GET /events client_gravatar": forAllQueues,
  "GET /events include_subscribers": forAllQueues,
  "GET /events slim_presence": forAllQueues,
  "GET /events all_public_streams": forAllQueues,
  "GET /events narrow": forAllQueues,
  "GET /events client_capabilities": forAllQueues,
  "GET /events queue_lifespan_secs": forAllQueues,
  "GET /messages/matches_narrow narrow[]": "the same narrow as elsewhere; the reference documents it only there",
  "PATCH /users/{user_id} profile_data[].": valuesInProse,
  "PATCH /users/{email} profile_data[].": valuesInProse,
  "POST /realm/profile_fields field_data": valuesInProse,
  "PATCH /streams/{stream_id} is_archived": "the way back, which the reference has from a later level on",
  "PATCH /user_groups/{user_group_id} deactivated":
    "the way back into use, which the reference has from a later level on",
  "PATCH /user_groups/{user_group_id} managed_by": "our own",
};
const givenByServer = "refused, as its own description has it: the server gives it out";
const paramsOnlyTheirs: Allowed = {
  "POST /drafts drafts[].id": givenByServer,
  "PATCH /drafts/{draft_id} draft.id": givenByServer,
};
const requiredDiffers: Allowed = {
  "GET /events queue_id": forAllQueues,
  "POST /messages to": "a bot may have a channel of its own, as in the reference, though not documented",
};
const words = "words from level 449 on; the document is of level 365";
const paramTypesDiffer: Allowed = {};

const partly = "of level 412; the document is of level 365";
const laterSetting = "of levels 385 to 431; the document is of level 365";
const stub = "of level 433; the document is of level 365";
const matching = "of level 455; the document is of level 365";
const gifs = "of levels 442 and 453; the document is of level 365";
const fieldsOnlyOurs: Allowed = {
  "GET /users members[].is_imported_stub": stub,
  "GET /users/me is_imported_stub": stub,
  "GET /users/{user_id} user.is_imported_stub": stub,
  "GET /users/{email} user.is_imported_stub": stub,
  "POST /register realm_users[].is_imported_stub": stub,
  "POST /register realm_non_active_users[].is_imported_stub": stub,
  "POST /register cross_realm_bots[].is_imported_stub": stub,
  "GET /realm/profile_fields custom_fields[].use_for_user_matching": matching,
  "POST /register custom_profile_fields[].use_for_user_matching": matching,
  "GET /export/realm/consents export_consents[].email_address_visibility": "of level 430; the document is of level 365",
  "POST /register realm_gif_rating_policy": gifs,
  "POST /register gif_rating_policy_options": gifs,
  "POST /register tenor_api_key": gifs,
  "POST /register realm_owner_full_content_access": "of level 438; the document is of level 365",
  "POST /register realm_default_avatar_source": "of level 456; the document is of level 365",
  "POST /register realm_uuid": "of level 466; the document is of level 365",
  ...laterInChannels([
    "GET /streams streams[].",
    "GET /streams/{stream_id} stream.",
    "GET /users/me/subscriptions subscriptions[].",
    "POST /register streams[].",
    "POST /register subscriptions[].",
    "POST /register unsubscribed[].",
    "POST /register never_subscribed[].",
  ]),
  ...later(
    ["POST /register "],
    ["channel_folders", "max_channel_folder_name_length", "max_channel_folder_description_length"],
  ),
  ...later(["POST /users/me/subscriptions ", "PATCH /users/me/subscriptions "], ["new_subscription_messages_sent"]),
  ...later(
    ["POST /register realm_"],
    [
      "can_set_delete_message_policy_group",
      "can_set_topics_policy_group",
      "send_channel_events_messages",
      "topics_policy",
    ],
  ),
  "GET /users/me bot_type": "the specification's user object has it, and a bot may want to know",
  "GET /users/me bot_owner_id": "the specification's user object has it, and a bot may want to know",
  "GET /server_settings authentication_methods{}": "one key for each identity provider, whichever there are",
  "POST /register realm_can_resolve_topics_group": "of level 367; the document is of level 365",
  "POST /register realm_api_key_max_days": "our own",
  "POST /register realm_second_factor_required_for": "our own",
  "POST /register idle_queue_timeout_secs": "of level 481; the document is of level 365",
  "POST /register max_bulk_new_subscription_messages": "of level 397; the document is of level 365",
  "POST /register realm_welcome_message_custom_text": "of level 416; the document is of level 365",
  "POST /register realm_incoming_webhook_bots[].url_options": "of level 403; the document is of level 365",
  "POST /users/me/subscriptions new_subscription_messages_sent": "of level 397; the document is of level 365",
  "PATCH /users/me/subscriptions new_subscription_messages_sent": "of level 397; the document is of level 365",
  "POST /register max_reminder_note_length": "of level 415; the document is of level 365",
  "POST /register navigation_views": "of level 390; the document is of level 365",
  "POST /register realm_require_e2ee_push_notifications": "of level 409; the document is of level 365",
  "POST /register reminders": "of level 399; the document is of level 365",
  "POST /register server_report_message_types": "of level 435; the document is of level 365",
  "POST /register subscriptions[].partial_subscribers": partly,
  "POST /register unsubscribed[].partial_subscribers": partly,
  "POST /register never_subscribed[].partial_subscribers": partly,
  "GET /users/me/subscriptions subscriptions[].partial_subscribers": partly,
  "POST /register user_settings.resolved_topic_notice_auto_read_policy": laterSetting,
  "POST /register user_settings.web_inbox_show_channel_folders": laterSetting,
  "POST /register user_settings.web_left_sidebar_show_channel_folders": laterSetting,
  "POST /register user_settings.web_left_sidebar_unreads_count_summary": laterSetting,
  "POST /register realm_user_settings_defaults.resolved_topic_notice_auto_read_policy": laterSetting,
  "POST /register realm_user_settings_defaults.web_inbox_show_channel_folders": laterSetting,
  "POST /register realm_user_settings_defaults.web_left_sidebar_show_channel_folders": laterSetting,
  "POST /register realm_user_settings_defaults.web_left_sidebar_unreads_count_summary": laterSetting,
  "POST /register realm_user_groups[].managed_by": "our own",
  "GET /user_groups user_groups[].managed_by": "our own",
  "POST /register navigation_tour_video_url": "of level 369; the document is of level 365",
};
const fieldsOnlyTheirs: Allowed = {
  "POST /users/me/presence zephyr_mirror_active": "gone with level 426",
  "POST /register realm_is_zephyr_mirror_realm": "gone with level 426",
  "POST /register realm_giphy_rating": gifs,
  "POST /register giphy_rating_options": gifs,
  "GET /server_settings authentication_methods.": "one key for each identity provider, whichever there are",
  "POST /register can_subscribe_other_users": "documented, but the reference does not send it",
  "POST /register receives_typing_notifications": "documented at this place, but the reference does not send it",
  "POST /register realm_users[].is_active": "documented, but the reference does not send it: it follows from the list",
  "POST /register realm_non_active_users[].is_active":
    "documented, but the reference does not send it: it follows from the list",
  "POST /register cross_realm_bots[].is_active":
    "documented, but the reference does not send it: it follows from the list",
};
const fieldTypesDiffer: Allowed = { "GET /export/realm exports[].export_type": words };

const eventsDiffer: Allowed = {
  "realm_user add person.is_imported_stub": stub,
  "realm_user update person.is_imported_stub": stub,
  "custom_profile_fields fields[].use_for_user_matching": matching,
  "realm_export exports[].export_type": words,
  "subscription add subscriptions[].partial_subscribers": partly,
  "presence presences": "of level 419; the document is of level 365",
  ...laterInChannels(["stream create streams[].", "subscription add subscriptions[]."]),
  "message local_message_id": "sent by the reference to the sending queue, though not documented",
  "message local_id": "the specification's name of the same",
  "subscription update value": "null sets a notification choice back to the user's own default",
  "stream update value": "null sets message_retention_days back to the organization's",
  "realm_user update person.avatar_url": "null for clients that compute Gravatar addresses, as in the user object",
  "realm update_dict data": "any field of the registration response, so its names are not listed again",
  "user_group add group.managed_by": "our own",
  "user_group update data.managed_by": "our own",
  "reaction add user.is_mirror_dummy": "documented, but the reference does not send it",
  "reaction remove user.is_mirror_dummy": "documented, but the reference does not send it",
};

const ofBots = "of bots only";
const onlyWhatChanged = "only what has changed";
const ofAnOrganization = "of an organization, if there is one at the address that was asked";
const simplified = "not with simplified_presence_events, of level 419";
const mayBeAbsent: Allowed = {
  "GET /users members[].bot_owner_id": ofBots,
  "GET /users/{user_id} user.bot_owner_id": ofBots,
  "GET /users/{email} user.bot_owner_id": ofBots,
  "POST /register realm_users[].bot_owner_id": ofBots,
  "POST /register realm_non_active_users[].bot_owner_id": ofBots,
  "POST /register cross_realm_bots[].bot_owner_id": ofBots,
  "realm_user add person.bot_owner_id": ofBots,
  "GET /server_settings realm_uri": ofAnOrganization,
  "GET /server_settings realm_url": ofAnOrganization,
  "GET /server_settings realm_name": ofAnOrganization,
  "GET /server_settings realm_icon": ofAnOrganization,
  "GET /server_settings realm_description": ofAnOrganization,
  "GET /server_settings realm_web_public_access_enabled": ofAnOrganization,
  "POST /users/me/presence presence_last_update_id": "not in the answer to ping_only, which is empty",
  "update_message_flags remove message_details{}.unmuted_stream_msg": "of channel messages only, as in the reference",
  "realm_bot update bot.": onlyWhatChanged,
  "user_group update data.deactivated": onlyWhatChanged,
  "user_status status_text": onlyWhatChanged,
  "user_status emoji_name": onlyWhatChanged,
  "user_status emoji_code": onlyWhatChanged,
  "user_status reaction_type": onlyWhatChanged,
  "user_status away": onlyWhatChanged,
  "presence email": "not with slim_presence, as in the reference",
  "presence user_id": simplified,
  "presence server_timestamp": simplified,
  "presence presence": simplified,
};

const isAllowed = (difference: string, allowed: Allowed): boolean =>
  Object.keys(allowed).some(
    (key) =>
      difference === key ||
      (difference.startsWith(key) && (key.endsWith(".") || /^[.[{]/.test(difference.slice(key.length)))),
  );

/** Differences that are not allowed, and allowed differences that do not occur. */
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

test("an upload requires its file exactly where the server, as recorded, refuses a call without one", () => {
  const uploads = endpoints.filter(({ file }) => file !== undefined);
  const requiring = uploads.filter((declared) => {
    const operation = ourDocument.paths[documentPath(declared)]?.[declared.method.toLowerCase()];
    const body = operation?.["requestBody"] as { content: Record<string, { schema: JsonSchema }> } | undefined; // made by toBody
    const required = body?.content["multipart/form-data"]?.schema["required"] as string[] | undefined;
    return required?.includes("filename") ?? false;
  });
  const refusing = uploads.filter(({ operation }) => {
    const file = new URL(`../recorded/operations/${operation}.json`, import.meta.url);
    const { errors } = JSON.parse(readFileSync(file, "utf8")) as { errors: { when: string }[] }; // as `npm run examples` writes it
    return errors.some(({ when }) => when === "There is no file.");
  });

  expect(requiring.map(({ operation }) => operation)).toEqual(refusing.map(({ operation }) => operation));
  expect(uploads.length).toBeGreaterThan(refusing.length);
});

/** Routes of the reference that its document leaves out. */
const undocumented = [
  "GET /bots",
  "POST /bots",
  "PATCH /bots/{bot_id}",
  "DELETE /bots/{bot_id}",
  "POST /bots/{bot_id}/api_key/regenerate",
  // Of levels 440 and 463.
  "GET /users/{user_id}/channels",
  "GET /bots/{bot_id}/api_key",
  "GET /bot_storage",
  "PUT /bot_storage",
  "DELETE /bot_storage",
  "POST /json/fetch_api_key",
  "POST /jwt/fetch_api_key",
  "POST /users/me/api_key/regenerate",
  "POST /submessage",
  "POST /zcommand",
  "POST /users/me/onboarding_steps",
  "GET /messages/summary",
  "POST /calls/zoom/create",
  // Of levels 460 and 465.
  "POST /calls/constructorgroups/create",
  "POST /calls/nextcloud_talk/create",
  "GET /dev_list_users",
  "GET /realm/subdomain/{subdomain}",
  "DELETE /export/realm/{export_id}",
  // Of levels 368 to 399; the document is of level 365.
  "POST /messages/{message_id}/report",
  "GET /reminders",
  "POST /reminders",
  "DELETE /reminders/{reminder_id}",
  "GET /navigation_views",
  "POST /navigation_views",
  "PATCH /navigation_views/{fragment}",
  "DELETE /navigation_views/{fragment}",
  "POST /realm/test_welcome_bot_custom_message",
  "POST /users/{user_id}/status",
  "PATCH /saved_snippets/{saved_snippet_id}",
  // Of level 417.
  "POST /channels/create",
  // Of levels 389 and 414.
  "GET /channel_folders",
  "POST /channel_folders/create",
  "PATCH /channel_folders",
  "PATCH /channel_folders/{channel_folder_id}",
  "PATCH /settings/display",
  "PATCH /settings/notifications",
  "POST /users/me/avatar",
  "DELETE /users/me/avatar",
  "PATCH /users/me/profile_data",
  "DELETE /users/me/profile_data",
  "PATCH /realm/profile_fields/{field_id}",
  "DELETE /realm/profile_fields/{field_id}",
  "PATCH /realm",
  "POST /realm/deactivate",
  "GET /realm/icon",
  "POST /realm/icon",
  "DELETE /realm/icon",
  "GET /realm/logo",
  "POST /realm/logo",
  "DELETE /realm/logo",
  "GET /realm/domains",
  "POST /realm/domains",
  "PATCH /realm/domains/{domain}",
  "DELETE /realm/domains/{domain}",
  "PATCH /users/me/subscriptions/{stream_id}",
  "POST /default_stream_groups/create",
  "PATCH /default_stream_groups/{group_id}",
  "PATCH /default_stream_groups/{group_id}/streams",
  "DELETE /default_stream_groups/{group_id}",
];

/** Operations that no other server of the protocol has. */
const ourOwn = [
  "GET /audit_log",
  "GET /audit_log/actions",
  "GET /audit_log/destinations",
  "POST /audit_log/destinations",
  "PATCH /audit_log/destinations/{destination_id}",
  "DELETE /audit_log/destinations/{destination_id}",
  "GET /scim/tokens",
  "POST /scim/tokens",
  "DELETE /scim/tokens/{token_id}",
  "GET /realm/scim",
  "PATCH /realm/scim",
  "DELETE /users/me/api_keys/{key_id}",
  "DELETE /users/me/passkeys/{passkey_id}",
  "GET /users/me/passkeys/challenge",
  "PATCH /users/me/passkeys/{passkey_id}",
  "POST /users/me/passkeys",
  "POST /users/me/passkeys/options",
  "DELETE /users/me/sessions",
  "DELETE /users/me/sessions/{session_id}",
  "POST /users/me/sessions/confirm",
  "DELETE /users/me/totp",
  "DELETE /users/{user_id}/api_keys/{key_id}",
  "DELETE /users/{user_id}/second_factors",
  "DELETE /users/{user_id}/sessions/{session_id}",
  "DELETE /realm/identity_providers/{provider_id}",
  "GET /realm/identity_providers",
  "PATCH /realm/identity_providers/{provider_id}",
  "POST /realm/identity_providers",
  "POST /realm/identity_providers/{provider_id}/sync",
  "POST /realm/identity_providers/{provider_id}/test",
  "GET /users/me/api_keys",
  "GET /users/me/second_factors",
  "GET /users/me/sessions",
  "GET /users/{user_id}/api_keys",
  "GET /users/{user_id}/second_factors",
  "GET /users/{user_id}/sessions",
  "PATCH /users/me/api_keys/{key_id}",
  "POST /users/me/api_keys",
  "POST /users/me/recovery_codes",
  "POST /users/me/totp",
  "POST /users/me/totp/confirm",
  "GET /web_push/key",
  "POST /web_push/test_notification",
  "POST /users/me/web_push_subscriptions",
  "DELETE /users/me/web_push_subscriptions",
  "DELETE /import/realm/{import_id}",
  "GET /import/realm",
  "GET /import/realm/{import_id}/plan",
  "GET /import/realm/{import_id}/report",
  "PATCH /import/realm/{import_id}/plan",
  "POST /import/realm",
  "POST /import/realm/{import_id}/inspect",
  "POST /import/realm/{import_id}/run",
];

test("every operation has the same path and name as in the reference", () => {
  const others = compared.filter(({ own, other }) => own.name !== other?.name).map(({ own }) => own.place);
  expect(others.toSorted()).toEqual([...undocumented, ...ourOwn].toSorted());
});

test("parameters are those of the reference", () => {
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

test("parameters are required where they are in the reference", () => {
  expect(
    unexplained(
      differing((own, other) =>
        [...own.required, ...other.required].filter((name) => own.required.has(name) !== other.required.has(name)),
      ),
      requiredDiffers,
    ),
  ).toEqual([]);
});

test("parameters accept every type that the reference accepts", () => {
  expect(
    unexplained(
      differing((own, other) => namesBeyond(other.params, own.params)),
      paramTypesDiffer,
    ),
  ).toEqual([]);
});

test("responses have the fields of the reference", () => {
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

test("responses have no types that the reference does not have", () => {
  expect(
    unexplained(
      differing((own, other) => namesBeyond(own.fields, other.fields)),
      fieldTypesDiffer,
    ),
  ).toEqual([]);
});

/** How the reference's document states that a field is optional. */
const saysWhen =
  /\b(only (be )?(present|included|returned)|(present|included) only|not (be )?present|if present|present if|optional|missing)\b/i;

/** Our fields that may be absent although the reference's document does not state that theirs may be. */
const absentOnlyInOurs = (own: Map<string, Presence>, other: Map<string, Presence>): string[] =>
  [...own].flatMap(([name, { isOptional }]) => {
    const theirField = other.get(name);
    return isOptional && theirField && !(theirField.isOptional && saysWhen.test(theirField.description)) ? [name] : [];
  });

/** These two are in every response, or are requested part by part: a registration test covers the latter. */
const isAskedFor = (place: string, name: string): boolean =>
  name === "ignored_parameters_unsupported" || (place === "POST /register" && /^\w+$/.test(name));

test("a field is required where it is in the reference: clients fail on a single object without it", () => {
  const inAnswers = compared.flatMap(({ own, other }) =>
    absentOnlyInOurs(own.presence, other?.presence ?? new Map<string, Presence>())
      .filter((name) => !isEvent(name) && !isAskedFor(own.place, name))
      .map((name) => `${own.place} ${name}`),
  );
  const known = theirs.eventPresence();
  const inEvents = [...ours.eventPresence()].flatMap(([event, own]) =>
    absentOnlyInOurs(own, known.get(event) ?? new Map<string, Presence>()).map((name) => `${event} ${name}`),
  );

  expect(unexplained([...inAnswers, ...inEvents], mayBeAbsent)).toEqual([]);
});

test("events have the fields and types of the reference", () => {
  const known = theirs.events();
  const differences = [...ours.events()].flatMap(([event, fields]) => {
    const other = known.get(event);
    if (!other) return [];
    return [...namesOnlyIn(fields, other), ...namesOnlyIn(other, fields), ...namesBeyond(fields, other)].map(
      (name) => `${event} ${name}`,
    );
  });

  // Our own, and those of levels 368 to 418; the document is of level 365.
  expect([...ours.events().keys()].filter((event) => !known.has(event))).toEqual([
    "channel_folder add",
    "channel_folder update",
    "channel_folder reorder",
    "realm_import",
    "api_key add",
    "api_key update",
    "api_key remove",
    "audit_log add",
    "saved_snippets update",
    "reminders add",
    "reminders remove",
    "navigation_view add",
    "navigation_view update",
    "navigation_view remove",
  ]);
  expect(unexplained(differences, eventsDiffer)).toEqual([]);
});
