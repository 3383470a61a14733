import { realmState } from "@skein/api/realm.ts";
import { getServerSettings } from "@skein/api/server-settings.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";

// spec 4.23: *; 5: no authentication for server_settings; 9: zulip_feature_level
test("anyone can ask which organization a URL belongs to", async () => {
  const realm = await newRealm();
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  await realm.ctx.db
    .updateTable("realms")
    .set({ name: "Elsinore", description: "Something is <rotten>", enable_spectator_access: true })
    .where("id", "=", realm.id)
    .execute();

  const settings = success(await realm.client(node).call(getServerSettings, {}));

  expect(settings).toMatchObject({
    zulip_feature_level: 467,
    email_auth_enabled: true,
    external_authentication_methods: [],
    realm_name: "Elsinore",
    realm_description: "<p>Something is &lt;rotten&gt;</p>",
    realm_url: `http://${realm.host}`,
    realm_uri: `http://${realm.host}`,
    realm_web_public_access_enabled: false,
  });
});

test("a URL of no organization is reported as such", async () => {
  const realm = await newRealm();
  const [node] = realm.nodes;
  const response = await fetch(`${node?.url}/api/v1/server_settings`, {
    headers: { "x-forwarded-host": "nowhere.example.org" },
  });

  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ result: "error", msg: "Invalid subdomain", code: "NONEXISTENT_SUBDOMAIN" });
});

test("registration returns every declared field of the organization", async () => {
  const realm = await newRealm();

  const { state } = await realm.admin.register([], ["realm"]);

  const declared = Object.keys(realmState).filter((name) => name !== "demo_organization_scheduled_deletion_date");
  const ofQueue = "idle_queue_timeout_secs";
  expect(
    Object.keys(state)
      .filter((name) => name !== ofQueue && (!name.startsWith("zulip_") || name === "zulip_plan_is_not_limited"))
      .toSorted(),
  ).toEqual(declared.toSorted());
  expect(state).toMatchObject({
    max_message_length: 10000,
    max_topic_length: 60,
    max_stream_name_length: 60,
    max_stream_description_length: 1024,
    realm_empty_topic_display_name: "general chat",
    realm_wildcard_mention_policy: 5,
    realm_create_public_stream_policy: 1,
    realm_create_web_public_stream_policy: 7,
    realm_bot_domain: realm.host,
  });
  expect(state.server_emoji_data_url).toMatch(new RegExp(`^http://${realm.host}/`));
  expect(state.server_supported_permission_settings?.realm["can_access_all_users_group"]).toEqual({
    require_system_group: true,
    allow_internet_group: false,
    allow_nobody_group: false,
    allow_everyone_group: true,
    default_group_name: "role:everyone",
    default_for_system_groups: null,
    allowed_system_groups: ["role:everyone", "role:members"],
  });
  expect(state.server_supported_permission_settings?.group["can_manage_group"]).toMatchObject({
    default_group_name: "group_creator",
    default_for_system_groups: "role:nobody",
  });
});
