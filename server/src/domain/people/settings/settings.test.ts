import { createDrafts, getDrafts } from "@skein/api/drafts.ts";
import { sendMessage } from "@skein/api/messages.ts";
import {
  defaultUserSettings,
  settingNames,
  settingNamesIn,
  updateSettings,
  userSettings,
  type SettingName,
  type UserSettings,
} from "@skein/api/settings.ts";
import { getUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { newRealm, success, type TestQueue, type TestUser } from "../../../../test/realm.ts";

const withoutObject = { client_capabilities: { notification_settings_null: true } };
const legacyTypes = ["update_display_settings", "update_global_notifications"] as const;

const settingsOf = async (user: TestUser): Promise<UserSettings> => {
  const { state } = await user.register([], ["user_settings"]);
  if (!state.user_settings) throw new Error("user_settings was asked for");
  return state.user_settings;
};

/** Sends a message to oneself, which marks the end of the events to collect. */
const endOf = async (user: TestUser): Promise<number> =>
  success(await user.call(sendMessage, { type: "direct", to: [user.id], content: "the end" })).id;

const eventsUntil = async (queue: TestQueue, last: number) => {
  const events = [];
  for (;;) {
    const event = await queue.next();
    if (event.type === "message" && event.message.id === last) return events;
    events.push(event);
  }
};

/** For every setting a value other than its default, as form text. */
function otherValues(): { wire: Record<string, string>; values: Partial<UserSettings> } {
  const values = settingNames.map((name) => {
    const { schema, default: fallback } = userSettings[name];
    const candidates = [!fallback, 2, 3, "de", "none", "never", "text", "recent_topics"];
    return [name, candidates.find((value) => value !== fallback && z.safeParse(schema, value).success)] as const;
  });
  return {
    values: Object.fromEntries(values),
    wire: Object.fromEntries(
      values.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    ),
  };
}

test("settings have the chosen value, otherwise the built-in default", async () => {
  const realm = await newRealm();

  success(await realm.admin.call(updateSettings, { enter_sends: true, timezone: "Europe/Copenhagen" }));

  const { state } = await realm.admin.register([], ["user_settings", "realm_user_settings_defaults"]);
  expect(state.user_settings).toMatchObject({
    enter_sends: true,
    starred_message_counts: true,
    timezone: "Europe/Copenhagen",
  });
  expect(state.realm_user_settings_defaults).toMatchObject({ starred_message_counts: true });
  expect(Object.keys(state.user_settings ?? {})).toHaveLength(settingNames.length + 3);
});

// spec 4.4: twenty_four_hour_time, starred_message_counts, receives_typing_notifications, web_suggest_update_timezone, fluid_layout_width, high_contrast_mode, enable_drafts_synchronization, translate_emoticons, display_emoji_reaction_users, web_escape_navigates_to_home_view, left_side_userlist, hide_ai_features, web_font_size_px, web_line_height_percent, web_channel_default_view, color_scheme, demote_inactive_streams, user_list_style, web_stream_unreads_count_display_policy, default_language, web_home_view, emojiset, web_animate_image_previews, notification_sound, enable_stream_desktop_notifications, enable_stream_email_notifications, enable_stream_push_notifications, enable_stream_audible_notifications, enable_desktop_notifications, enable_sounds, enable_offline_email_notifications, enable_offline_push_notifications, enable_online_push_notifications, enable_followed_topic_desktop_notifications, enable_followed_topic_email_notifications, enable_followed_topic_push_notifications, enable_followed_topic_audible_notifications, enable_digest_emails, email_notifications_batching_period_seconds
test("every setting can be changed and changed back, and only what differs is stored", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const stored = async () =>
    (await realm.ctx.db.selectFrom("users").selectAll().where("id", "=", hamlet.id).executeTakeFirstOrThrow()).settings;
  const { wire, values } = otherValues();
  expect(Object.values(values)).not.toContain(undefined);

  expect(await hamlet.request("PATCH", "/settings", wire)).toEqual({ result: "success", msg: "" });
  expect(await settingsOf(hamlet)).toMatchObject(values);
  const { email_address_visibility: _, ...kept } = values;
  expect(await stored()).toEqual(kept);

  success(await hamlet.call(updateSettings, defaultUserSettings));
  expect(await settingsOf(hamlet)).toMatchObject(defaultUserSettings);
  expect(await stored()).toEqual({});
});

// spec 6: user_settings, op, property, value, language_name
test("only the user's own clients receive events, one for each setting that really changed", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const queue = await hamlet.register();
  const other = await ophelia.register();

  success(
    await hamlet.call(updateSettings, { enter_sends: true, default_language: "de", starred_message_counts: true }),
  );

  expect(await eventsUntil(queue, await endOf(hamlet))).toEqual([
    {
      type: "user_settings",
      op: "update",
      property: "default_language",
      value: "de",
      language_name: "Deutsch",
    },
    { type: "user_settings", op: "update", property: "enter_sends", value: true },
  ]);
  expect(await eventsUntil(other, await endOf(ophelia))).toEqual([]);
});

// spec 6: update_display_settings, update_global_notifications, user, setting_name, notification_name, setting, language_name
test("clients without support for user_settings receive events about older settings in the older formats", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register([...legacyTypes, "message"], [], withoutObject);
  const modern = await hamlet.register([...legacyTypes, "message"]);

  success(
    await hamlet.call(updateSettings, {
      default_language: "fr",
      enable_sounds: false,
      send_read_receipts: false,
      timezone: "Asia/Kolkata",
    }),
  );

  const end = await endOf(hamlet);
  const user = hamlet.email;
  expect(await eventsUntil(queue, end)).toEqual([
    {
      type: "update_display_settings",
      user,
      setting_name: "default_language",
      setting: "fr",
      language_name: "français",
    },
    { type: "update_global_notifications", user, notification_name: "enable_sounds", setting: false },
    { type: "update_display_settings", user, setting_name: "timezone", setting: "Asia/Kolkata" },
  ]);
  expect(await eventsUntil(modern, end)).toEqual([]);
});

test("clients without support for user_settings get settings as top-level fields of the response", async () => {
  const realm = await newRealm();
  const parts = ["user_settings", ...legacyTypes];

  const modern = await realm.admin.register([], parts);
  const old = await realm.admin.register([], parts, withoutObject);

  expect(modern.state).not.toHaveProperty("enter_sends");
  for (const name of [...settingNamesIn("display-legacy"), ...settingNamesIn("notification-legacy")])
    expect(old.state).toHaveProperty(name, defaultUserSettings[name]);
  expect(old.state).toMatchObject({ timezone: "", available_notification_sounds: ["zulip", "ding"] });
});

test.each([undefined, withoutObject])(
  "a client with the capabilities %j that applies events knows all settings",
  async (capabilities) => {
    const realm = await newRealm();
    const hamlet = await realm.user("hamlet");
    const parts = ["user_settings", ...legacyTypes, "realm_user"];
    const queue = await hamlet.register(undefined, parts, capabilities);

    expect(await hamlet.request("PATCH", "/settings", { ...otherValues().wire, timezone: "UTC" })).toMatchObject({
      result: "success",
    });

    const followed = await queue.followedState(await endOf(hamlet));
    const { state } = await hamlet.register([], parts, capabilities);
    expect(followed).toEqual(state);
  },
);

// spec 4.4: timezone
// spec 6: realm_user time zone change
// spec 2.4: timezone
test("everyone receives one event about a new time zone", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const elsewhere = await newRealm();
  const queue = await guest.register();
  const outside = await elsewhere.admin.register();

  for (let times = 0; times < 2; times++)
    success(await hamlet.call(updateSettings, { timezone: "America/Argentina/Buenos_Aires" }));

  const person = { user_id: hamlet.id, email: hamlet.email, timezone: "America/Argentina/Buenos_Aires" };
  expect(await eventsUntil(queue, await endOf(guest))).toEqual([{ type: "realm_user", op: "update", person }]);
  expect(success(await guest.call(getUser, { user_id: hamlet.id })).user.timezone).toBe(person.timezone);
  expect(await eventsUntil(outside, await endOf(elsewhere.admin))).toEqual([]);
});

// spec 4.4: error for a wrong type or value
test.each([
  ["twenty_four_hour_time", "maybe", "twenty_four_hour_time is not valid JSON"],
  ["twenty_four_hour_time", "5", "twenty_four_hour_time is not a boolean"],
  ["color_scheme", "4", "Invalid color_scheme"],
  ["color_scheme", "[]", "Invalid color_scheme"],
  ["web_font_size_px", "x", "web_font_size_px is not valid JSON"],
  ["web_font_size_px", '"x"', "web_font_size_px is not an integer"],
  ["web_font_size_px", "0", "Invalid web_font_size_px"],
  ["web_line_height_percent", "1e9", "Invalid web_line_height_percent"],
  ["email_notifications_batching_period_seconds", "0", "Invalid email_notifications_batching_period_seconds"],
  ["email_notifications_batching_period_seconds", "604801", "Invalid email_notifications_batching_period_seconds"],
  ["emojiset", "bogus", "Invalid emojiset"],
  ["web_home_view", "", "Invalid web_home_view"],
  ["default_language", "xx-none", "Invalid default_language"],
  ["notification_sound", "no-such-sound", "Invalid notification_sound"],
  ["timezone", "Mars/Olympus", "Invalid timezone"],
  ["timezone", "europe/lisbon", "Invalid timezone"],
  ["timezone", "", "Invalid timezone"],
])("%s=%s is refused together with the rest of its request", async (name, value, msg) => {
  const realm = await newRealm();
  const before = await settingsOf(realm.admin);

  const response = await realm.admin.request("PATCH", "/settings", { enter_sends: "true", [name]: value });

  expect(response).toEqual({ result: "error", msg, code: "BAD_REQUEST" });
  expect(await settingsOf(realm.admin)).toEqual(before);
});

// spec 9: PATCH /settings/display, PATCH /settings/notifications
// spec 4.4: dense_mode, ignored_parameters_unsupported
test.each(["/settings", "/settings/display", "/settings/notifications"])(
  "%s accepts every setting and reports unknown ones",
  async (path) => {
    const realm = await newRealm();
    const guest = await realm.user("guest", { role: 600 });

    const response = await guest.request("PATCH", path, {
      zeta: "1",
      enable_digest_emails: "false",
      dense_mode: "true",
      high_contrast_mode: "true",
    });

    expect(response).toEqual({ result: "success", msg: "", ignored_parameters_unsupported: ["dense_mode", "zeta"] });
    expect(await settingsOf(guest)).toMatchObject({ enable_digest_emails: false, high_contrast_mode: true });
    expect(await guest.request("PATCH", path)).toEqual({ result: "success", msg: "" });
  },
);

test("no concurrent change on two nodes is lost", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const names = settingNames.filter((name) => userSettings[name].default === false).slice(0, 4);

  const responses = await Promise.all(
    names.map((name, index) => hamlet.on(index).call(updateSettings, { [name]: true })),
  );

  for (const response of responses) success(response);
  const wanted = Object.fromEntries(names.map((name): [SettingName, boolean] => [name, true]));
  expect(await settingsOf(hamlet)).toMatchObject(wanted);
});

test("a bot has no settings to change", async () => {
  const realm = await newRealm();
  const bot = await realm.user("bot");
  await realm.ctx.db.updateTable("users").set({ is_bot: true, bot_type: 1 }).where("id", "=", bot.id).execute();

  expect(await bot.call(updateSettings, { enter_sends: true })).toEqual({
    result: "error",
    msg: "This endpoint does not accept bot requests.",
    code: "BAD_REQUEST",
  });
});

// spec 4.4: full_name
// spec 6: realm_user full-name change
test("a new name is visible to everyone, who also receive an event", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const queue = await guest.register(["realm_user"]);

  success(await hamlet.call(updateSettings, { full_name: " Prince Hamlet " }));

  const person = { user_id: hamlet.id, full_name: "Prince Hamlet" };
  expect(await queue.next()).toEqual({ type: "realm_user", op: "update", person });
  expect(success(await guest.call(getUser, { user_id: hamlet.id })).user.full_name).toBe("Prince Hamlet");
});

// spec 4.4: full_name
test.each([
  ["", "Name too short!"],
  ["x".repeat(101), "Name too long!"],
  ["a*star", "Invalid characters in name!"],
  ["ctrl\u0001", "Invalid characters in name!"],
])("the name %j is refused", async (full_name, msg) => {
  const realm = await newRealm();

  expect(await realm.admin.call(updateSettings, { full_name })).toEqual({ result: "error", msg, code: "BAD_REQUEST" });
});

test("where changes of names are disabled, only administrators change theirs", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await realm.ctx.db.updateTable("realms").set({ name_changes_disabled: true }).where("id", "=", realm.id).execute();

  const change = { full_name: "Someone Else" };

  expect(await hamlet.call(updateSettings, change)).toMatchObject({
    msg: "Name changes are disabled in this organization.",
  });
  success(await hamlet.call(updateSettings, { full_name: hamlet.fullName }));
  success(await realm.admin.call(updateSettings, change));
});

test("where names must be unique, one of two concurrent changes to the same name succeeds", async () => {
  const realm = await newRealm();
  const people = [await realm.user("hamlet"), await realm.user("laertes")];
  await realm.ctx.db.updateTable("realms").set({ require_unique_names: true }).where("id", "=", realm.id).execute();

  const responses = await Promise.all(
    people.map((person, index) => person.on(index).call(updateSettings, { full_name: "Duelist" })),
  );

  expect(responses.map((response) => response.msg).toSorted()).toEqual([
    "",
    "Unique names required in this organization.",
  ]);
});

// spec 4.4: enable_drafts_synchronization
test("drafts are deleted when synchronization is switched off, without events", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  for (const user of [hamlet, ophelia])
    success(
      await user.call(createDrafts, { drafts: [{ type: "", to: [], topic: "", content: "soon gone", timestamp: 1 }] }),
    );
  const queue = await hamlet.register(["drafts", "message"]);

  success(await hamlet.call(updateSettings, { enable_drafts_synchronization: false }));

  expect(await eventsUntil(queue, await endOf(hamlet))).toEqual([]);
  success(await hamlet.call(updateSettings, { enable_drafts_synchronization: true }));
  expect(success(await hamlet.call(getDrafts, {})).drafts).toEqual([]);
  expect(success(await ophelia.call(getDrafts, {})).drafts).toHaveLength(1);
});

// spec 4.6: email_address_visibility
test("an address hidden on one node is at once invisible on all nodes", async () => {
  const realm = await newRealm();
  const reader = await realm.user("reader");
  for (let round = 0; round < 10; round++) {
    const shy = await realm.user(`shy-${round}`);
    const queue = await reader.register(["realm_user"]);

    success(await shy.on(0).call(updateSettings, { email_address_visibility: 4 }));

    const { user } = success(await reader.on(1).call(getUser, { user_id: shy.id }));
    expect(user).toMatchObject({ delivery_email: null, email: `user${shy.id}@${realm.host}` });
    expect(await queue.next()).toEqual({
      type: "realm_user",
      op: "update",
      person: { user_id: shy.id, delivery_email: null },
    });
    expect(await settingsOf(shy)).toMatchObject({ email_address_visibility: 4 });
  }
});
