/**
 * Registration with every combination of parameters: for any requested types and client capabilities, the response has
 * exactly the documented fields. As in all tests, their types are checked against the protocol's OpenAPI document.
 */
import { updateChannel } from "@skein/api/channels.ts";
import { addLinkifier } from "@skein/api/linkifiers.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { createUserGroup, deactivateUserGroup } from "@skein/api/user-groups.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { registrationFields } from "../../../api/test/inventory.ts";
import { groupId } from "../../test/groups.ts";
import { untilOnEveryNode } from "../../test/presence.ts";
import { capabilities, newRealm, success, type TestRealm, type TestUser } from "../../test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../test/actions.ts";

/** Fields added after the inventory's feature level, or our own. */
const later: Record<string, string[]> = {
  "(always)": ["idle_queue_timeout_secs"],
  realm: [
    "gif_rating_policy_options",
    "max_bulk_new_subscription_messages",
    "max_channel_folder_description_length",
    "max_channel_folder_name_length",
    "max_reminder_note_length",
    "realm_api_key_max_days",
    "realm_can_resolve_topics_group",
    "realm_can_set_delete_message_policy_group",
    "realm_can_set_topics_policy_group",
    "realm_default_avatar_source",
    "realm_gif_rating_policy",
    "realm_owner_full_content_access",
    "realm_require_e2ee_push_notifications",
    "realm_second_factor_required_for",
    "realm_send_channel_events_messages",
    "realm_topics_policy",
    "realm_uuid",
    "realm_welcome_message_custom_text",
    "server_report_message_types",
  ],
  onboarding_steps: ["navigation_tour_video_url"],
};
/** Only for demo organizations, which this server does not have; and what levels after the inventory's removed. */
const never = new Set([
  "demo_organization_scheduled_deletion_date",
  "giphy_rating_options",
  "realm_giphy_rating",
  "realm_is_zephyr_mirror_realm",
]);

const always = "(always)";
/** Parts that are newer than the inventory, each with a field of the same name. */
const laterParts = ["channel_folders", "navigation_views", "reminders"];
const fieldsOf = registrationFields();
for (const part of laterParts) fieldsOf.set(part, [part]);
fieldsOf.set("tenor", ["tenor_api_key"]);
const types = [...new Set([...fieldsOf.keys()].flatMap((asked) => asked.split(" + ")))].filter(
  (type) => type !== always,
);

let realm: TestRealm;
let hamlet: TestUser;
let channel: TestChannel;
beforeAll(async () => {
  realm = await newRealm();
  hamlet = await realm.user("hamlet");
  channel = await channelOf([realm.admin, hamlet], "Denmark");
  await sendToChannel(realm.admin, channel, { topic: "" });
});

interface RegisterParams {
  event_types?: string[] | null;
  fetch_event_types?: string[] | null;
  client_capabilities?: Record<string, boolean>;
  slim_presence?: boolean;
}

const register = (params: RegisterParams) =>
  hamlet.request(
    "POST",
    "/register",
    Object.fromEntries(Object.entries(params).map(([name, value]) => [name, JSON.stringify(value)])),
  );

/** The fields that the inventory lists for such a registration. */
function expectedFields({ event_types, fetch_event_types, client_capabilities = {} }: RegisterParams): string[] {
  const wanted = fetch_event_types ?? event_types ?? undefined;
  const isWanted = (type: string) => wanted === undefined || wanted.includes(type);
  const isLeftOut = (type: string) =>
    (type === "muted_topics" && wanted?.includes("user_topic")) ||
    (type.startsWith("update_") && type !== "update_message_flags" && client_capabilities["user_settings_object"]);
  return [...fieldsOf]
    .filter(([asked]) => asked === always || asked.split(" + ").every((type) => isWanted(type) && !isLeftOut(type)))
    .flatMap(([asked, fields]) => [...fields, ...(later[asked] ?? [])])
    .filter((field) => !never.has(field))
    .toSorted();
}

const givenFields = ({ result: _, msg: __, ...state }: Record<string, unknown>) => Object.keys(state).toSorted();

test("a registration for everything returns exactly the fields of the inventory", async () => {
  const given = givenFields(await register({}));

  expect(given).toEqual(expectedFields({}));
  expect(types).toHaveLength(39 + laterParts.length);
});

test("for any combination of types and capabilities, the response has exactly the documented fields", async () => {
  const someTypes = fc.option(fc.subarray(types), { nil: undefined });
  const asked = fc.record(
    {
      event_types: fc.oneof(someTypes, fc.constant(null)),
      fetch_event_types: fc.oneof(someTypes, fc.constant(null)),
      client_capabilities: fc.record(Object.fromEntries(Object.keys(capabilities).map((name) => [name, fc.boolean()]))),
      slim_presence: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const isExact = fc.asyncProperty(asked, async (form) => {
    const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined)) as RegisterParams;
    expect(givenFields(await register(given)), JSON.stringify(given)).toEqual(expectedFields(given));
  });

  await fc.assert(isExact, { numRuns: 60, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false });
});

/** The parts of the response that the test below examines. */
interface RegisterResponse {
  subscriptions: { name: string; push_notifications: boolean | null }[];
  streams: { name: string }[];
  realm_linkifiers: unknown[];
  realm_user_groups: { id: number }[];
  realm_users: { user_id: number }[];
  unread_msgs: { streams: { topic: string }[] };
}

/** In this organization every capability makes a difference; the test compares the response without and with each. */
test("each client capability changes the fields that depend on it", async () => {
  const [person, guest] = [await realm.user("person"), await realm.user("guest", { role: 600 })];
  const archived = await channelOf([realm.admin, person, guest], "Archive");
  success(await realm.admin.call(updateChannel, { stream_id: archived.id, is_archived: true }));
  const group = { name: "old players", description: "", members: [] };
  const { group_id } = success(await realm.admin.call(createUserGroup, group));
  success(await realm.admin.call(deactivateUserGroup, { user_group_id: group_id }));
  const linkifier = { pattern: "#(?P<id>[0-9]+)", url_template: "https://example.com/{id}" };
  success(await realm.admin.call(addLinkifier, linkifier));
  const members = await groupId(realm, "role:members");
  success(await realm.admin.call(updateRealm, { can_access_all_users_group: { new: members } }));
  await channelOf([realm.admin, person], "Empty topics").then((talk) =>
    sendToChannel(realm.admin, talk, { topic: "" }),
  );
  const state = async (user: TestUser, name: keyof typeof capabilities, value: boolean) => {
    const all = Object.fromEntries(Object.keys(capabilities).map((one) => [one, true]));
    const form = { client_capabilities: JSON.stringify({ ...all, [name]: value }) };
    return (await user.request("POST", "/register", form)) as unknown as RegisterResponse; // checked against the declaration
  };
  const both = async (user: TestUser, name: keyof typeof capabilities) =>
    [await state(user, name, false), await state(user, name, true)] as const;

  const nulls = (await both(person, "notification_settings_null")).map(
    ({ subscriptions }) => subscriptions[0]?.push_notifications,
  );
  expect(nulls).toEqual([false, null]);
  const settings = (await both(person, "user_settings_object")).map((one) => "twenty_four_hour_time" in one);
  expect(settings).toEqual([true, false]);
  const linkifiers = (await both(person, "linkifier_url_template")).map((one) => one.realm_linkifiers);
  expect(linkifiers).toEqual([[], [expect.objectContaining(linkifier)]]);
  const groups = (await both(person, "include_deactivated_groups")).map((one) =>
    one.realm_user_groups.some(({ id }) => id === group_id),
  );
  expect(groups).toEqual([false, true]);
  const channels = (await both(person, "archived_channels")).map((one) =>
    [one.subscriptions, one.streams].map((list) => list.some(({ name }) => name === "Archive")),
  );
  expect(channels).toEqual([
    [false, false],
    [true, true],
  ]);
  const topics = (await both(person, "empty_topic_name")).map(({ unread_msgs }) =>
    unread_msgs.streams.map(({ topic }) => topic),
  );
  expect(topics).toEqual([["general chat"], [""]]);
  const strangers = (await both(guest, "user_list_incomplete")).map((one) =>
    one.realm_users.some(({ user_id }) => user_id === hamlet.id),
  );
  expect(strangers).toEqual([true, false]);
});

test("old clients get the old formats", async () => {
  await untilOnEveryNode(hamlet, () => hamlet.request("POST", "/users/me/presence", { status: "active" }));
  const mute = { stream_id: channel.id, topic: "watch", visibility_policy: 1 } as const;
  success(await hamlet.call(updateUserTopic, mute));

  const old = await register({});
  const slim = await register({ slim_presence: true, fetch_event_types: ["presence"] });

  const seen = { client: "website", status: "active", timestamp: expect.any(Number) as number };
  expect(old).toMatchObject({
    muted_topics: [["Denmark", "watch", expect.any(Number)]],
    presences: { [hamlet.email]: { aggregated: seen, website: { ...seen, pushable: false } } },
    realm_filters: [],
    twenty_four_hour_time: false,
    enable_desktop_notifications: true,
    emojiset_choices: expect.arrayContaining([{ key: "google", text: "Google" }]),
    available_notification_sounds: expect.arrayContaining(["zulip"]),
  });
  expect(slim).toMatchObject({ presences: { [hamlet.id]: { active_timestamp: expect.any(Number) } } });
});

test("old clients also get the old events for changed settings, and new clients get each change once", async () => {
  const queues = await Promise.all(
    [false, true].map((user_settings_object) =>
      hamlet.register(["update_display_settings", "update_global_notifications", "user_settings", "alert_words"], [], {
        client_capabilities: { ...capabilities, user_settings_object },
      }),
    ),
  );

  await hamlet.request("PATCH", "/settings", { twenty_four_hour_time: "true" });
  await hamlet.request("PATCH", "/settings", { enable_sounds: "false" });
  await hamlet.request("POST", "/users/me/alert_words", { alert_words: '["the end"]' });

  const received = await Promise.all(
    queues.map(async (queue) => {
      for (const found: string[] = []; ;) {
        const { type } = await queue.next();
        if (type === "alert_words") return found.toSorted();
        found.push(type);
      }
    }),
  );
  expect(received).toEqual([
    ["update_display_settings", "update_global_notifications", "user_settings", "user_settings"],
    ["user_settings", "user_settings"],
  ]);
});
