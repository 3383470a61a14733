import {
  defaultUserSettings,
  settingNames,
  updateDefaultSettings,
  userSettings,
  type UserSettings,
} from "@skein/api/settings.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { createUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { z } from "zod";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";

const part = "realm_user_settings_defaults";
const defaultsOf = async (realm: TestRealm) => (await realm.admin.register([], [part])).state[part];

// spec 4.6: starred_message_counts, web_font_size_px, color_scheme, demote_inactive_streams, email_address_visibility, web_home_view, notification_sound
test("an administrator sets defaults for new users, and existing users' settings do not change", async () => {
  const realm = await newRealm();
  const chosen = {
    starred_message_counts: false,
    web_font_size_px: 18,
    color_scheme: 2,
    demote_inactive_streams: 3,
    email_address_visibility: 3,
    web_home_view: "all_messages",
    notification_sound: "none",
  } as const satisfies Partial<UserSettings>;

  expect(await realm.admin.call(updateDefaultSettings, chosen)).toEqual({ result: "success", msg: "" });

  expect(await defaultsOf(realm)).toMatchObject({ ...defaultUserSettings, enter_sends: true, ...chosen });
  const { state } = await realm.admin.register([], ["user_settings"]);
  expect(state.user_settings).toMatchObject(defaultUserSettings);
});

// spec 4.6: *
test("every setting with a default here can be given another default", async () => {
  const realm = await newRealm();
  const values = settingNames.flatMap((name) => {
    if (!(name in updateDefaultSettings.params)) return [];
    const { schema, default: fallback } = userSettings[name];
    const candidates = [!fallback, 2, 3, "none", "never", "text", "recent_topics"];
    return [[name, candidates.find((value) => value !== fallback && z.safeParse(schema, value).success)] as const];
  });
  expect(values.map(([, value]) => value)).not.toContain(undefined);
  const wire = values.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);

  expect(await realm.admin.request("PATCH", "/realm/user_settings_defaults", Object.fromEntries(wire))).toEqual({
    result: "success",
    msg: "",
  });

  expect(await defaultsOf(realm)).toMatchObject(Object.fromEntries(values));
});

// spec 4.6: changes defaults only for users joining afterwards
test("new users start with the defaults, in the organization's language, and keep them", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  await db.updateTable("realms").set({ default_language: "da" }).where("id", "=", realm.id).execute();
  success(await realm.admin.call(updateDefaultSettings, { high_contrast_mode: true, email_address_visibility: 2 }));

  const person = { email: `yorick@${realm.host}`, password: "Basalt-7f3a-tide", full_name: "Yorick" };
  const { user_id } = success(await realm.admin.call(createUser, person));
  success(await realm.admin.call(updateDefaultSettings, { high_contrast_mode: false, email_address_visibility: 1 }));

  const row = await db.selectFrom("users").selectAll().where("id", "=", user_id).executeTakeFirstOrThrow();
  expect(row.settings).toEqual({ enter_sends: true, high_contrast_mode: true, default_language: "da" });
  expect(row.email_address_visibility).toBe(2);
});

// spec 6: realm_user_settings_defaults
test("everyone in the organization receives an event for each default that really changed", async () => {
  const realm = await newRealm();
  const elsewhere = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register([part]);
  const followed = await guest.register([part, "message"], [part]);
  const outside = await elsewhere.admin.register([part]);

  success(await realm.admin.call(updateDefaultSettings, { web_font_size_px: 20, enter_sends: true }));
  success(await realm.admin.call(updateDefaultSettings, { enter_sends: false }));
  const end = success(await guest.call(sendMessage, { type: "direct", to: [guest.id], content: "the end" })).id;

  expect(await queue.next()).toEqual({ type: part, op: "update", property: "web_font_size_px", value: 20 });
  expect(await queue.next()).toEqual({ type: part, op: "update", property: "enter_sends", value: false });
  expect((await followed.followedState(end))[part]).toEqual(await defaultsOf(realm));
  success(await elsewhere.admin.call(updateDefaultSettings, { enter_sends: false }));
  expect(await outside.next()).toMatchObject({ property: "enter_sends" });
});

// spec 4.6: organization administrators only
test.each([300, 400, 600] as const)("role %i may not change defaults", async (role) => {
  const realm = await newRealm();
  const user = await realm.user("user", { role });

  expect(await user.call(updateDefaultSettings, { enter_sends: false })).toEqual({
    result: "error",
    msg: "Must be an organization administrator",
    code: "BAD_REQUEST",
  });
  expect(await defaultsOf(realm)).toMatchObject({ enter_sends: true });
});

// spec 4.6: ignored_parameters_unsupported
test("personal settings have no default here", async () => {
  const realm = await newRealm();
  const form = { default_language: "de", enable_login_emails: "false", enter_sends: "false", timezone: "UTC" };

  expect(await realm.admin.request("PATCH", "/realm/user_settings_defaults", form)).toEqual({
    result: "success",
    msg: "",
    ignored_parameters_unsupported: ["default_language", "enable_login_emails", "timezone"],
  });
  expect(await defaultsOf(realm)).toMatchObject({ default_language: "en", enter_sends: false });
});

test("no concurrent change on two nodes is lost", async () => {
  const realm = await newRealm();
  const names = ["translate_emoticons", "high_contrast_mode", "hide_ai_features", "fluid_layout_width"] as const;

  const responses = await Promise.all(
    names.map((name, index) => realm.admin.on(index).call(updateDefaultSettings, { [name]: true })),
  );

  for (const response of responses) success(response);
  expect(await defaultsOf(realm)).toMatchObject(Object.fromEntries(names.map((name) => [name, true])));
});

test("in a new organization Enter sends; an existing one keeps its default", async () => {
  const realm = await newRealm();
  const earlier = await newRealm();
  const { db } = realm.ctx;
  await db.updateTable("realms").set({ user_settings_defaults: "{}" }).where("id", "=", earlier.id).execute();
  const settingOfNewcomer = async ({ admin, host }: TestRealm) => {
    const person = { email: `yorick@${host}`, password: "Basalt-7f3a-tide", full_name: "Yorick" };
    const { user_id } = success(await admin.call(createUser, person));
    const { settings } = await db
      .selectFrom("users")
      .select("settings")
      .where("id", "=", user_id)
      .executeTakeFirstOrThrow();
    return settings;
  };

  expect(await settingOfNewcomer(realm)).toMatchObject({ enter_sends: true });
  expect(await settingOfNewcomer(earlier)).not.toHaveProperty("enter_sends");
});
