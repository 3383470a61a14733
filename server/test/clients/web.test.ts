/** The web app of this protocol level: its kinds of requests, and the registration fields it requires. */
import { expect, test } from "vitest";
import { newRealm } from "../realm.ts";
import { channelOf, messageFor, sendToChannel, sendDirect } from "../actions.ts";
import { TestBrowser, withPassword } from "../test-browser.ts";
import { ClientProgram, missing } from "./wire.ts";

const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36";

async function company() {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "Denmark");
  return { realm, hamlet, ophelia, channel, web: new ClientProgram(hamlet, agent) };
}

/** All its capabilities. */
const client_capabilities = JSON.stringify({
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
});

// clients 2.9
test("a POST can override its method with PATCH", async () => {
  const { hamlet, channel, web } = await company();
  const id = await sendToChannel(hamlet, channel);

  await web.answer(web.post(`/messages/${id}`, { method: "PATCH", content: "better" }));
  await web.answer(web.post("/settings", { method: "PATCH", twenty_four_hour_time: "true" }));

  expect((await messageFor(hamlet, id)).content).toBe("<p>better</p>");
});

// clients 1 web app, 2.10
test("a browser's client name is website, and its own messages are read", async () => {
  const { hamlet, channel, web } = await company();

  const form = { type: "stream", to: String(channel.id), topic: "watch", content: "x" };
  const { id } = await web.answer(web.post("/messages", form));

  expect(await messageFor(hamlet, Number(id))).toMatchObject({ client: "website", flags: ["read"] });
});

// clients 3 message object
test("a message has every field its page requires", async () => {
  const { hamlet, ophelia } = await company();
  const message = await messageFor(hamlet, await sendDirect(ophelia, [hamlet]));

  expect(missing(message, "recipient_id submessages topic_links reactions flags")).toEqual([]);
  expect(message).toMatchObject({ subject: "", topic_links: [] });
});

// clients 4 *W, 10
test("registration has every field its page requires", async () => {
  const { web } = await company();

  const state = await web.answer(
    web.post("/register", { slim_presence: "true", include_subscribers: "true", client_capabilities }),
  );

  const fields = `queue_id last_event_id max_message_id zulip_version zulip_feature_level zulip_merge_base user_id email
    full_name delivery_email is_admin is_owner is_moderator is_guest realm_users cross_realm_bots
    realm_non_active_users presences presence_last_update_id server_timestamp subscriptions unsubscribed
    never_subscribed realm_default_streams unread_msgs starred_messages user_topics muted_users alert_words
    recent_private_conversations user_status realm_user_groups realm_emoji custom_profile_fields user_settings
    realm_name realm_message_retention_days realm_allow_message_editing realm_message_content_edit_limit_seconds
    realm_message_edit_history_visibility_policy realm_waiting_period_threshold realm_enable_read_receipts
    realm_presence_disabled realm_icon_url realm_default_external_accounts max_stream_name_length max_topic_length
    max_file_upload_size_mib server_presence_ping_interval_seconds server_presence_offline_threshold_seconds
    event_queue_longpoll_timeout_seconds server_emoji_data_url realm_empty_topic_display_name realm_mandatory_topics
    server_typing_started_expiry_period_milliseconds server_typing_started_wait_period_milliseconds
    server_typing_stopped_wait_period_milliseconds server_thumbnail_formats saved_snippets drafts
    stop_words giphy_api_key gif_rating_policy_options has_zoom_token realm_billing realm_bots realm_embedded_bots
    realm_incoming_webhook_bots onboarding_steps server_generation server_supported_permission_settings
    realm_available_video_chat_providers realm_authentication_methods custom_profile_field_types avatar_source
    avatar_url avatar_url_medium scheduled_messages realm_user_settings_defaults realm_playgrounds realm_linkifiers
    realm_domains`;
  expect(missing(state, fields)).toEqual([]);
  const permissions = Object.keys(
    (state["server_supported_permission_settings"] as { realm: Record<string, unknown> }).realm, // as documented
  );
  expect(missing(state, permissions.map((name) => `realm_${name}`).join(" "))).toEqual([]);
  for (const group of state["realm_user_groups"] as unknown[])
    expect(
      missing(
        group,
        `creator_id date_created deactivated can_add_members_group can_join_group can_leave_group can_manage_group
         can_mention_group can_remove_members_group`,
      ),
    ).toEqual([]);
});

// clients 1 web app, 10
test("it signs in with the form, and calls the same endpoints under /json with cookie and token", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const channel = await channelOf([hamlet], "Denmark");
  const browser = new TestBrowser(realm);

  const page = await browser.open("/login/");
  expect(page.html).toContain('name="csrfmiddlewaretoken"');
  expect(await browser.signIn(hamlet)).toMatchObject({ location: "/" });
  const queue = await browser.call("POST", "/register", { client_capabilities, slim_presence: "true" });
  const form = { type: "stream", to: String(channel.id), topic: "watch", content: "x" };
  const sent = await browser.call("POST", "/messages", form);
  const id = String(sent["id"]);

  const read = { queue_id: String(queue["queue_id"]), last_event_id: String(queue["last_event_id"]) };
  expect(await browser.call("GET", "/events", read)).toMatchObject({ result: "success" });
  const answers = [
    await browser.call("POST", `/messages/${id}`, { method: "PATCH", content: "better" }),
    await browser.call("GET", "/messages", { anchor: "newest", num_before: "10", num_after: "0" }),
    await browser.call("POST", "/users/me/presence", { status: "active", last_update_id: "-1" }),
    await browser.call("POST", "/messages/flags", { messages: `[${id}]`, op: "add", flag: "starred" }),
    await browser.call("PATCH", "/settings", { twenty_four_hour_time: "true" }),
    await browser.call("GET", "/users/me/subscriptions"),
    await browser.call("GET", `/users/me/${channel.id}/topics`),
    await browser.call("POST", "/user_topics", {
      stream_id: String(channel.id),
      topic: "watch",
      visibility_policy: "3",
    }),
    await browser.call("POST", "/typing", { op: "start", type: "direct", to: `[${hamlet.id}]` }),
    await browser.call("GET", "/drafts"),
  ];
  expect(answers.map(({ result }) => result)).toEqual(answers.map(() => "success"));
  expect(await browser.call("POST", "/messages", form, { headers: { "x-csrftoken": "" } })).toMatchObject({
    code: "CSRF_FAILED",
    reason: expect.any(String),
  });
  const stranger = new TestBrowser(realm);
  expect(await stranger.call("GET", "/users/me/subscriptions")).toMatchObject({ code: "UNAUTHORIZED" });
});

// clients 10
test("it uploads files in parts", async () => {
  const realm = await newRealm();
  const hamlet = await withPassword(realm, "hamlet");
  const browser = new TestBrowser(realm);
  await browser.signIn(hamlet);
  const headers = { "tus-resumable": "1.0.0", "x-csrftoken": browser.cookies.get("csrftoken") ?? "" };
  const metadata = `filename ${btoa("note.txt")},filetype ${btoa("text/plain")}`;

  const begun = await browser.ask("/api/v1/tus/", {
    method: "POST",
    body: "",
    headers: { ...headers, "upload-length": "5", "upload-metadata": metadata },
  });
  const location = begun.headers.get("location") ?? "";
  const ended = await browser.ask(location, {
    method: "PATCH",
    body: "words",
    headers: { ...headers, "upload-offset": "0", "content-type": "application/offset+octet-stream" },
  });

  expect(begun.status).toBe(201);
  expect(await ended.json()).toMatchObject({ url: expect.stringMatching(/^\/user_uploads\//), filename: "note.txt" });
});
