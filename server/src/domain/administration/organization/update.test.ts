import { sendMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { createUserGroup, getUserGroups } from "@skein/api/user-groups.ts";
import { getUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { realmPermissionNames, realmPermissions } from "../../organization/permissions/realm-permissions.ts";

type Change = Parameters<typeof change>[1];
const change = (user: TestUser, settings: Parameters<typeof user.call<typeof updateRealm>>[1]) =>
  user.call(updateRealm, settings);

async function systemGroups(realm: TestRealm): Promise<Record<string, number>> {
  const { user_groups } = success(await realm.admin.call(getUserGroups, {}));
  return Object.fromEntries(user_groups.map((group) => [group.name, group.id]));
}

async function channelNamed(realm: TestRealm, name: string, invite_only: boolean): Promise<number> {
  success(await realm.admin.call(subscribe, { subscriptions: [{ name }], invite_only }));
  const { id } = await realm.ctx.db
    .selectFrom("channels")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return id;
}

/** A new value for each setting, and the value clients receive if it differs. */
const plain: [keyof Change, unknown, unknown?][] = [
  ["name", "Elsinore"],
  ["org_type", 35],
  ["default_language", "de"],
  ["want_advertise_in_communities_directory", true],
  ["enable_spectator_access", true],
  ["invite_required", false],
  ["emails_restricted_to_domains", true],
  ["disallow_disposable_email_addresses", false],
  ["waiting_period_threshold", 3],
  ["require_unique_names", true],
  ["name_changes_disabled", true],
  ["email_changes_disabled", true],
  ["avatar_changes_disabled", true],
  ["send_welcome_emails", false],
  ["enable_guest_user_indicator", false],
  ["enable_guest_user_dm_warning", false],
  ["presence_disabled", true],
  ["message_content_delete_limit_seconds", "unlimited", null],
  ["move_messages_within_stream_limit_seconds", 60],
  ["move_messages_between_streams_limit_seconds", "unlimited", null],
  ["message_edit_history_visibility_policy", "moves"],
  ["message_retention_days", 30],
  ["mandatory_topics", true],
  ["enable_read_receipts", false],
  ["default_code_block_language", "python"],
  ["inline_image_preview", false],
  ["inline_url_embed_preview", true],
  ["message_content_allowed_in_email_notifications", false],
  ["digest_weekday", 6],
  ["send_channel_events_messages", false],
  ["video_chat_provider", 0],
  ["jitsi_server_url", "https://jitsi.example.com"],
  ["gif_rating_policy", 3],
  ["default_avatar_source", "J"],
];

test("every setting is emitted to everybody, stored, and reported by registration", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const guest = await realm.user("guest", { role: 600 });
  const queue = await guest.register(["realm"]);
  const foreign = await elsewhere.admin.register(["realm"]);

  for (const [property, value, told = value] of plain) {
    success(await change(realm.admin, { [property]: value }));
    expect(await queue.next()).toEqual({ type: "realm", op: "update", property, value: told });
    // The same under its newer name.
    for (const newer of property === "mandatory_topics" ? ["topics_policy"] : [])
      expect(await queue.next()).toMatchObject({ property: newer });
    const { state } = await guest.register([], ["realm"]);
    expect(state).toMatchObject({ [`realm_${property}`]: told });
  }
  expect(await foreign.all()).toEqual([]);
});

test("digests, which the server does not send, can be enabled but are reported as off", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);

  success(await change(realm.admin, { digest_emails_enabled: true }));
  success(await change(realm.admin, { digest_weekday: 6 }));

  expect(await queue.next()).toMatchObject({ property: "digest_weekday" });
  const { state } = await realm.admin.register([], ["realm"]);
  expect(state).toMatchObject({ realm_digest_emails_enabled: false, settings_send_digest_emails: false });
  const kept = realm.ctx.db.selectFrom("realms").select("digest_emails_enabled").where("id", "=", realm.id);
  expect(await kept.executeTakeFirst()).toEqual({ digest_emails_enabled: true });
});

test("the description is emitted in a dictionary, as it is and as HTML", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);

  success(await change(realm.admin, { description: "Something is *rotten*" }));

  const data = { description: "Something is *rotten*", rendered_description: "<p>Something is <em>rotten</em></p>" };
  expect(await queue.next()).toEqual({ type: "realm", op: "update_dict", property: "default", data });
  expect((await realm.admin.register([], ["realm"])).state.realm_description).toBe("Something is *rotten*");
});

test("editing settings are emitted in a dictionary", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);

  success(await change(realm.admin, { allow_message_editing: false, message_content_edit_limit_seconds: "unlimited" }));

  const event = { type: "realm", op: "update_dict", property: "default" };
  expect(await queue.next()).toEqual({ ...event, data: { allow_message_editing: false } });
  expect(await queue.next()).toEqual({ ...event, data: { message_content_edit_limit_seconds: null } });
});

test("unchanged settings emit no event, and one invalid value changes nothing", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);

  success(await change(realm.admin, { mandatory_topics: false, message_content_delete_limit_seconds: 600 }));
  expect(await change(realm.admin, { mandatory_topics: true, video_chat_provider: 9 })).toMatchObject({
    msg: "Invalid video_chat_provider 9",
  });
  success(await change(realm.admin, { name: "Elsinore" }));

  expect(await queue.next()).toMatchObject({ property: "name" });
});

test("invalid values are refused", async () => {
  const realm = await newRealm();
  const send = (form: Record<string, string>) => realm.admin.request("PATCH", "/realm", form);
  const notNumbers = { code: "REQUEST_VARIABLE_INVALID" };

  for (const [form, answer] of [
    [{ name: "  " }, { msg: "name cannot be blank" }],
    [{ name: "x".repeat(41) }, { msg: "name is too long (limit: 40 characters)" }],
    [{ description: "x".repeat(1001) }, { msg: "description is too long (limit: 1000 characters)" }],
    [{ mandatory_topics: "yes" }, { msg: "mandatory_topics is not valid JSON" }],
    [{ mandatory_topics: '"yes"' }, { msg: "mandatory_topics is not a boolean" }],
    [{ org_type: "5" }, { msg: "Invalid org_type" }],
    [{ default_language: "xx" }, { msg: "Invalid default_language" }],
    [{ digest_weekday: "7" }, { msg: "Invalid digest_weekday" }],
    [{ waiting_period_threshold: "-1" }, { msg: "Invalid waiting_period_threshold" }],
    [{ message_content_edit_limit_seconds: "0" }, notNumbers],
    [{ message_content_edit_limit_seconds: '"ever"' }, notNumbers],
    [{ message_retention_days: "-1" }, notNumbers],
    [{ message_retention_days: "99999999999" }, notNumbers],
    [{ message_edit_history_visibility_policy: "some" }, { msg: "Invalid message_edit_history_visibility_policy" }],
    [{ video_chat_provider: "2" }, { msg: "Invalid video_chat_provider 2" }],
    [{ jitsi_server_url: '"javascript:alert(1)"' }, { msg: "jitsi_server_url is not an allowed_type" }],
    [{ authentication_methods: '{"Email": false}' }, { msg: "At least one authentication method must be enabled." }],
    [{ authentication_methods: '{"SAML": true}' }, { msg: expect.stringContaining("Invalid authentication method") }],
    [{ signup_announcements_stream_id: "999999999" }, { msg: "Invalid channel ID" }],
    [{ can_create_groups: "5" }, { msg: "can_create_groups is not a dict" }],
  ] as const)
    expect(await send(form)).toMatchObject({ code: "BAD_REQUEST", ...answer });
  expect(await send({ authentication_methods: '{"Email": true}' })).toMatchObject({ result: "success" });
});

test("members can change nothing, and administrators no owner-only settings", async () => {
  const realm = await newRealm();
  const [moderator, administrator] = [
    await realm.user("moderator", { role: 300 }),
    await realm.user("administrator", { role: 200 }),
  ];
  const { "role:administrators": administrators = 0 } = await systemGroups(realm);

  expect(await change(moderator, { mandatory_topics: true })).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Must be an organization administrator",
  });
  success(await change(administrator, { mandatory_topics: true }));
  for (const settings of [
    { invite_required: false },
    { emails_restricted_to_domains: true },
    { disallow_disposable_email_addresses: false },
    { waiting_period_threshold: 5 },
    { message_retention_days: 5 },
    { authentication_methods: { Email: true } },
    { can_create_groups: { new: administrators } },
    { can_manage_all_groups: { new: administrators } },
    { can_invite_users_group: { new: administrators } },
    { create_multiuse_invite_group: { new: administrators } },
  ] satisfies Change[]) {
    expect(await change(administrator, settings)).toMatchObject({
      code: "BAD_REQUEST",
      msg: "Must be an organization owner",
    });
    success(await change(realm.admin, settings));
  }
});

test("a permission cannot be set to a group that its rule forbids", async () => {
  const realm = await newRealm();
  const groups = await systemGroups(realm);
  const refused = realmPermissionNames.flatMap((name) => {
    const { nobody, everyone } = realmPermissions[name];
    const refusedGroups = ["role:internet", ...(nobody ? [] : ["role:nobody"]), ...(everyone ? [] : ["role:everyone"])];
    return refusedGroups.map((group) => [name, group] as const);
  });

  for (const [name, group] of refused)
    expect(await change(realm.admin, { [name]: { new: groups[group] } })).toMatchObject({
      code: "BAD_REQUEST",
      msg: `'${name}' setting cannot be set to '${group}' group.`,
    });
});

test("a permission can be set to a group of the organization, unless it requires a system group", async () => {
  const realm = await newRealm();
  const own = success(await realm.admin.call(createUserGroup, { name: "players", description: "", members: [] }));
  const queue = await realm.admin.register(["realm"]);
  const set = (name: string) => change(realm.admin, { [name]: { new: own.group_id } });
  const open = realmPermissionNames.filter((name) => realmPermissions[name].only === undefined);
  const closed = realmPermissionNames.filter((name) => !open.includes(name));

  expect(closed).toEqual(["can_access_all_users_group", "can_create_web_public_channel_group"]);
  for (const name of closed)
    expect(await set(name)).toMatchObject({ code: "SYSTEM_GROUP_REQUIRED", setting_name: name });
  for (const name of open) {
    success(await set(name));
    expect(await queue.next()).toMatchObject({
      op: "update_dict",
      property: "default",
      data: { [name]: own.group_id },
    });
  }
});

test("a permission is emitted with the legacy number for older clients", async () => {
  const realm = await newRealm();
  const { "role:moderators": moderators = 0 } = await systemGroups(realm);
  const queue = await realm.admin.register(["realm"]);

  success(await change(realm.admin, { can_create_public_channel_group: { new: moderators } }));

  expect(await queue.next()).toEqual({
    type: "realm",
    op: "update_dict",
    property: "default",
    data: { can_create_public_channel_group: moderators, create_public_stream_policy: 4 },
  });
});

test("a request that expects a different old permission changes nothing", async () => {
  const realm = await newRealm();
  const { "role:moderators": moderators = 0, "role:members": members = 0 } = await systemGroups(realm);
  const set = (old: number) => change(realm.admin, { can_create_bots_group: { new: moderators, old } });

  expect(await set(moderators)).toMatchObject({ code: "EXPECTATION_MISMATCH" });
  success(await set(members));
});

test("announcement channels must be visible to the administrator, or none", async () => {
  const realm = await newRealm();
  const [open, closed] = [await channelNamed(realm, "open", false), await channelNamed(realm, "closed", true)];
  const queue = await realm.admin.register(["realm"]);

  success(
    await change(realm.admin, { new_stream_announcements_stream_id: open, moderation_request_channel_id: closed }),
  );
  success(await change(realm.admin, { new_stream_announcements_stream_id: -1 }));
  expect(await change(realm.admin, { moderation_request_channel_id: open })).toMatchObject({
    msg: "Moderation request channel must be private.",
  });

  const event = { type: "realm", op: "update" };
  const told = [await queue.next(), await queue.next(), await queue.next()];
  expect(told).toContainEqual({ ...event, property: "new_stream_announcements_stream_id", value: open });
  expect(told).toContainEqual({ ...event, property: "moderation_request_channel_id", value: closed });
  expect(told.at(-1)).toEqual({ ...event, property: "new_stream_announcements_stream_id", value: -1 });
});

test("a new waiting period changes who is a full member, on every node immediately", async () => {
  const realm = await newRealm();
  const [fresh, settled] = [await realm.user("fresh"), await realm.user("settled")];
  const aWeekAgo = new Date(Date.now() - 7 * 86_400_000);
  await realm.ctx.db.updateTable("users").set({ date_joined: aWeekAgo }).where("id", "=", settled.id).execute();
  const { "role:fullmembers": fullMembers = 0 } = await systemGroups(realm);
  success(await change(realm.admin, { can_create_public_channel_group: { new: fullMembers } }));
  const queue = await realm.admin.register(["user_group"]);
  const create = (user: TestUser, node: number, name: string) =>
    user.on(node).call(subscribe, { subscriptions: [{ name }] });
  success(await create(fresh, 1, "before"));

  success(await realm.admin.on(0).call(updateRealm, { waiting_period_threshold: 3 }));

  expect(await create(fresh, 1, "after")).toMatchObject({ code: "BAD_REQUEST" });
  success(await create(settled, 1, "settled"));
  const event = { type: "user_group", group_id: fullMembers, user_ids: [fresh.id] };
  expect(await queue.next()).toEqual({ ...event, op: "remove_members" });
  success(await realm.admin.on(0).call(updateRealm, { waiting_period_threshold: 0 }));
  success(await create(fresh, 1, "again"));
  expect(await queue.next()).toEqual({ ...event, op: "add_members" });
});

test("applying the settings events matches a fresh registration", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { "role:moderators": moderators = 0, "role:owners": owners = 0 } = await systemGroups(realm);
  const types: ("realm" | "user_group" | "message")[] = ["realm", "user_group", "message"];
  const queue = await hamlet.register(types, ["realm", "realm_user_groups"]);

  const settings = Object.fromEntries(plain.map(([name, value]) => [name, value])) as Change; // values of their types
  success(await change(realm.admin, { ...settings, allow_message_editing: false }));
  const list = { direct_members: [hamlet.id], direct_subgroups: [moderators] };
  success(
    await change(realm.admin, {
      can_create_private_channel_group: { new: list },
      can_create_public_channel_group: { new: owners },
      can_mention_many_users_group: { new: moderators },
      message_edit_history_visibility_policy: "none",
      jitsi_server_url: "default",
    }),
  );
  const note = { type: "direct" as const, to: [hamlet.id], content: "done" };
  const { id } = success(await realm.admin.call(sendMessage, note));

  const { user_id: _, ...followed } = await queue.followedState(id);
  const fresh = await hamlet.register([], ["realm", "realm_user_groups"]);
  expect(followed).toEqual(fresh.state);
});

test("guests receive immediately whom they can no longer see, and whom they can see again", async () => {
  const realm = await newRealm();
  const [guest, stranger] = [await realm.user("guest", { role: 600 }), await realm.user("stranger")];
  const { "role:members": members = 0, "role:everyone": everyone = 0 } = await systemGroups(realm);
  const types: ("realm_user" | "message")[] = ["realm_user", "message"];
  const note = { type: "direct" as const, to: [guest.id], content: "done" };

  for (const [group, isSeen] of [
    [members, false],
    [everyone, true],
  ] as const) {
    const queue = await guest.register(types, ["realm_user"]);
    success(await change(realm.admin, { can_access_all_users_group: { new: group } }));
    expect((await guest.on(1).call(getUser, { user_id: stranger.id })).result).toBe(isSeen ? "success" : "error");
    const { id } = success(await realm.admin.call(sendMessage, note));
    const followed = await queue.followedState(id);
    const { state } = await guest.register([], ["realm_user"]);
    expect(followed.realm_users?.map((user) => user.full_name)).toEqual(
      state.realm_users?.map((user) => user.full_name),
    );
  }
});

test("after many concurrent changes of a setting the last event matches the stored value", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm"]);
  const names = Array.from({ length: 8 }, (_, n) => `Elsinore ${n}`);

  const answers = await Promise.all(names.map((name, node) => realm.admin.on(node).call(updateRealm, { name })));

  expect(answers).toMatchObject(names.map(() => ({ result: "success" })));
  const told = [];
  for (const _ of names) told.push(await queue.next());
  const { state } = await realm.admin.register([], ["realm"]);
  expect(told.at(-1)).toMatchObject({ property: "name", value: state.realm_name });
});
