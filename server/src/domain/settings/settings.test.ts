import { settingNames } from "@skein/api/settings.ts";
import { expect, test } from "vitest";
import { newRealm } from "../../../test/realm.ts";

test("settings are what was chosen, and the built-in value elsewhere", async () => {
  const realm = await newRealm();
  await realm.ctx.db
    .updateTable("users")
    .set({ settings: JSON.stringify({ enter_sends: true }), timezone: "Europe/Copenhagen" })
    .where("id", "=", realm.admin.id)
    .execute();

  const { state } = await realm.admin.register([], ["user_settings", "realm_user_settings_defaults"]);

  expect(state.user_settings).toMatchObject({
    enter_sends: true,
    starred_message_counts: true,
    timezone: "Europe/Copenhagen",
  });
  expect(state.realm_user_settings_defaults).toMatchObject({ enter_sends: false });
  expect(Object.keys(state.user_settings ?? {})).toHaveLength(settingNames.length + 3);
});

test("clients that do not know of user_settings find settings among the answer's own fields", async () => {
  const realm = await newRealm();
  const parts = ["user_settings", "update_display_settings", "update_global_notifications"];
  const capabilities = { notification_settings_null: true };

  const modern = await realm.admin.register([], parts);
  const old = await realm.admin.request("POST", "/register", {
    fetch_event_types: JSON.stringify(parts),
    client_capabilities: JSON.stringify(capabilities),
  });

  expect(modern.state).not.toHaveProperty("enter_sends");
  expect(old).toMatchObject({
    enter_sends: false,
    enable_sounds: true,
    timezone: "",
    available_notification_sounds: ["zulip", "ding"],
  });
});
