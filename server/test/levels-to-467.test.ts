/** What the protocol gained between the levels 422 and 467, where no other file is about it. */
import { getAuditLog } from "@skein/api/audit-log.ts";
import { removeOwnAvatar } from "@skein/api/avatars.ts";
import { createBot, getBotApiKey, regenerateBotApiKey, updateBot } from "@skein/api/bots.ts";
import { getMessage } from "@skein/api/messages.ts";
import { createProfileField, getProfileFields, updateProfileField } from "@skein/api/profile-fields.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { updateSettings, type TargetUsers } from "@skein/api/settings.ts";
import { getUserChannels } from "@skein/api/subscriptions.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { createUser, deactivateUser, getUser, getUsers, reactivateUser } from "@skein/api/users.ts";
import { beforeAll, expect, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "./actions.ts";
import { groupId } from "./groups.ts";
import { newRealm, success, type TestRealm, type TestUser } from "./realm.ts";

let realm: TestRealm;
let admin: TestUser, hamlet: TestUser, ophelia: TestUser, guest: TestUser;
beforeAll(async () => {
  realm = await newRealm();
  ({ admin } = realm);
  const people = [realm.user("hamlet"), realm.user("ophelia"), realm.user("guest", { role: 600 })];
  [hamlet, ophelia, guest] = (await Promise.all(people)) as [TestUser, TestUser, TestUser]; // three
});

const administratorsOnly = { msg: "Must be an organization administrator" };

// The organization

test("registration identifies the organization, and no longer speaks of other systems", async () => {
  const [mine, other] = [await guest.register([], ["realm"]), await (await newRealm()).admin.register([], ["realm"])];

  expect(mine.state.realm_uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  expect((await hamlet.register([], ["realm"])).state.realm_uuid).toBe(mine.state.realm_uuid);
  expect(other.state.realm_uuid).not.toBe(mine.state.realm_uuid);
  expect(mine.state).toMatchObject({ realm_owner_full_content_access: false, realm_gif_rating_policy: 1 });
  for (const gone of ["realm_is_zephyr_mirror_realm", "realm_giphy_rating", "giphy_rating_options", "tenor_api_key"])
    expect(mine.state).not.toHaveProperty(gone);
  const permissions = mine.state.server_supported_permission_settings?.stream;
  expect(permissions?.["can_administer_channel_group"]).toMatchObject({ default_group_name: "channel_creator" });
});

test("new users have the kind of avatar that the organization chose, which is always drawn here", async () => {
  success(await admin.call(updateRealm, { default_avatar_source: "J" }));
  const account = { email: "osric@example.com", password: "a long enough password 4 all", full_name: "Osric" };
  const { user_id } = success(await admin.call(createUser, account));
  success(await admin.call(updateRealm, { default_avatar_source: "G" }));

  const { user } = success(await hamlet.call(getUser, { user_id, client_gravatar: true }));
  expect(user).toMatchObject({ avatar_url: `/avatar/${user_id}?version=1`, is_imported_stub: false });
  const row = realm.ctx.db.selectFrom("users").select("avatar_source").where("id", "=", user_id);
  expect(await row.executeTakeFirst()).toEqual({ avatar_source: "J" });
});

test("fields by which clients find people are short texts and external accounts", async () => {
  const queue = await guest.register(["custom_profile_fields"]);
  const add = (name: string, field_type: 1 | 2, use_for_user_matching: boolean) =>
    admin.call(createProfileField, { name, field_type, use_for_user_matching });
  const nick = success(await add("Nick", 1, true)).id;
  const town = success(await add("Town", 1, false)).id;

  expect(await add("Story", 2, true)).toMatchObject({ msg: "Field type not supported for use for user matching." });
  expect((await queue.nextOf("custom_profile_fields")).fields).toMatchObject([
    { id: nick, use_for_user_matching: true },
  ]);
  success(await admin.call(updateProfileField, { field_id: town, use_for_user_matching: true }));
  success(await admin.call(updateProfileField, { field_id: nick, use_for_user_matching: false }));
  const { custom_fields } = success(await guest.call(getProfileFields, {}));
  expect(custom_fields.find(({ id }) => id === town)).toMatchObject({ use_for_user_matching: true });
  expect(custom_fields.find(({ id }) => id === nick)).not.toHaveProperty("use_for_user_matching");
});

// People

test("removing an avatar that is not there changes nothing", async () => {
  const queue = await guest.register(["realm_user"]);
  const version = async () => success(await guest.call(getUser, { user_id: hamlet.id })).user.avatar_version;
  const before = await version();

  success(await hamlet.call(removeOwnAvatar, {}));
  success(await hamlet.call(updateSettings, { full_name: "Prince Hamlet" }));

  expect(await version()).toBe(before);
  expect(await queue.next()).toMatchObject({ person: { full_name: "Prince Hamlet" } });
});

test("the channels of a user are told as far as the reader may know of them", async () => {
  const open = await channelOf([hamlet], "open court");
  const closed = await channelOf([hamlet, ophelia], "closed court", { isPrivate: true });
  const channels = async (reader: TestUser, user: TestUser) =>
    success(await reader.call(getUserChannels, { user_id: user.id })).subscribed_channel_ids;

  expect(await channels(ophelia, hamlet)).toEqual([open.id, closed.id]);
  const horatio = await realm.user("horatio");
  expect(await channels(horatio, hamlet)).toEqual([open.id]);
  expect(await channels(admin, hamlet)).toEqual([open.id, closed.id]);
  expect(await channels(guest, hamlet)).toEqual([]);
  expect(await hamlet.call(getUserChannels, { user_id: 2 ** 40 })).toMatchObject({ msg: "No such user" });
});

test("a bot's owner changes its address, with which it signs in from then on", async () => {
  const create = async (short_name: string) =>
    success(await hamlet.call(createBot, { full_name: `Robot ${short_name}`, short_name }));
  const [bot, other] = [await create("gravedigger"), await create("yorick")];
  const rename = (user: TestUser, short_name: string) => user.call(updateBot, { bot_id: bot.user_id, short_name });
  const queue = await guest.register(["realm_user"]);
  const [node] = realm.nodes;
  if (!node) throw new Error("a realm has at least one node");
  const clientOf = (email: string) => realm.client(node, { email, apiKey: bot.api_key });

  success(await rename(hamlet, "clown"));

  const email = `clown-bot@${realm.host}`;
  expect(await queue.next()).toMatchObject({ person: { user_id: bot.user_id, delivery_email: email } });
  expect(success(await clientOf(email).call(getUsers, { user_ids: [bot.user_id] })).members).toMatchObject([{ email }]);
  expect(await clientOf(`gravedigger-bot@${realm.host}`).call(getUsers, {})).toMatchObject({ code: "UNAUTHORIZED" });
  expect(await rename(hamlet, "yorick")).toMatchObject({ msg: "Email is already in use." });
  expect(await rename(hamlet, "b@d name")).toMatchObject({ msg: "Bad name or username" });
  expect(await rename(ophelia, "mine")).toMatchObject({ msg: "Insufficient permission" });

  const key = (user: TestUser, bot_id = other.user_id) => user.call(getBotApiKey, { bot_id });
  for (const reader of [hamlet, admin]) expect(success(await key(reader)).api_key).toBe(other.api_key);
  expect(await key(ophelia)).toMatchObject({ msg: "Insufficient permission" });
  expect(await key(guest)).toMatchObject({ msg: "Not allowed for guest users" });
  expect(await key(admin, ophelia.id)).toMatchObject({ msg: "No such bot" });
  const { api_key } = success(await hamlet.call(regenerateBotApiKey, { bot_id: other.user_id }));
  expect(success(await key(hamlet)).api_key).toBe(api_key);
});

// Settings of others

test("administrators change settings of others, and can leave alone what those chose themselves", async () => {
  const [one, two, three] = [await realm.user("one"), await realm.user("two"), await realm.user("three")];
  const sizeOf = async (user: TestUser) =>
    (await user.register([], ["user_settings"])).state.user_settings?.web_font_size_px;
  const set = (user: TestUser, web_font_size_px: number, target: Partial<TargetUsers>) =>
    user.call(updateSettings, {
      web_font_size_px,
      target_users: { user_ids: [], group_ids: [], skip_if_already_edited: false, ...target },
    });
  const [queue, bystander] = [await one.register(["user_settings"]), await three.register(["user_settings"])];
  const own = await sizeOf(admin);

  success(await set(admin, 18, { user_ids: [one.id, two.id] }));
  expect(await queue.next()).toMatchObject({ property: "web_font_size_px", value: 18 });
  expect([await sizeOf(one), await sizeOf(two), await sizeOf(admin)]).toEqual([18, 18, own]);

  success(await one.call(updateSettings, { web_font_size_px: 19 }));
  const group = { name: "readers", description: "", members: [one.id, two.id] };
  const { group_id } = success(await admin.call(createUserGroup, group));
  success(await set(admin, 20, { group_ids: [group_id], skip_if_already_edited: true }));
  success(await set(admin, 21, { user_ids: [two.id], skip_if_already_edited: true }));
  expect([await sizeOf(one), await sizeOf(two)]).toEqual([19, 21]);

  success(await admin.call(deactivateUser, { user_id: two.id }));
  success(await set(admin, 22, { user_ids: [two.id] }));
  success(await admin.call(reactivateUser, { user_id: two.id }));
  const row = realm.ctx.db.selectFrom("users").select("settings").where("id", "=", two.id);
  expect(await row.executeTakeFirst()).toMatchObject({ settings: { web_font_size_px: 22 } });
  expect(await bystander.all()).toEqual([]);
});

test("settings of others are for administrators, and not those of privacy", async () => {
  const set = (user: TestUser, settings: object, target: Partial<TargetUsers> = { user_ids: [hamlet.id] }) =>
    user.call(updateSettings, {
      ...settings,
      target_users: { user_ids: [], group_ids: [], skip_if_already_edited: false, ...target },
    });
  const queue = await hamlet.register(["user_settings"]);

  expect(await set(ophelia, { enter_sends: true })).toMatchObject(administratorsOnly);
  expect(await set(admin, { enter_sends: true }, {})).toMatchObject({ msg: "user_ids and group_ids are both empty" });
  expect(await set(admin, { enter_sends: true }, { user_ids: [2 ** 40] })).toMatchObject({ msg: "No such user" });
  expect(await set(admin, { enter_sends: true }, { group_ids: [2 ** 40] })).toMatchObject({
    msg: "Invalid user group",
  });
  for (const personal of [{ presence_enabled: false }, { timezone: "Europe/Berlin" }, { email: "x@example.com" }])
    expect(await set(admin, { enter_sends: true, ...personal })).toMatchObject({
      msg: "Cannot change this setting for other users.",
    });
  expect(await queue.all()).toEqual([]);
});

// Deactivating an account together with what it sent

test("an account is deactivated with its profile and messages, and only readers of a message are told", async () => {
  const [leaver, friend] = [await realm.user("leaver"), await realm.user("friend")];
  const square = await channelOf([leaver, friend], "square");
  const cellar = await channelOf([friend, leaver], "cellar", { isPrivate: true, hasSharedHistory: false });
  const inSquare = await sendToChannel(leaver, square);
  const inCellar = await sendToChannel(leaver, cellar);
  const direct = await sendDirect(leaver, [friend]);
  const [reader, deleter] = [await friend.register(["delete_message"]), await admin.register(["delete_message"])];
  const nobody = await groupId(realm, "role:nobody");
  const close = (actions: object) => admin.call(deactivateUser, { user_id: leaver.id, actions });

  success(await admin.call(updateRealm, { can_delete_any_message_group: { new: nobody } }));
  expect(await close({ delete_direct_messages: true })).toMatchObject({
    msg: "You do not have permission to delete messages.",
  });
  const administrators = await groupId(realm, "role:administrators");
  success(await admin.call(updateRealm, { can_delete_any_message_group: { new: administrators } }));
  success(
    await close({
      delete_profile: true,
      delete_public_channel_messages: true,
      delete_private_channel_messages: true,
      delete_direct_messages: true,
    }),
  );

  const told = [await reader.next(), await reader.next(), await reader.next()];
  expect(told.flatMap((event) => (event.type === "delete_message" ? event.message_ids : []))).toEqual([
    inSquare,
    inCellar,
    direct,
  ]);
  expect(await deleter.next()).toMatchObject({ message_ids: [inSquare] });
  expect(await deleter.all()).toEqual([]);
  expect(success(await hamlet.call(getUser, { user_id: leaver.id })).user).toMatchObject({
    full_name: "Deleted user",
    is_active: false,
  });
  expect(await friend.call(getMessage, { message_id: direct })).toMatchObject({ msg: "Invalid message(s)" });
  const { entries } = success(await admin.call(getAuditLog, { limit: 1 }));
  expect(entries).toMatchObject([{ action: "user.deactivate", after: { actions: { delete_direct_messages: true } } }]);
});

test("what is not named stays when an account is deactivated", async () => {
  const [keeper, friend] = [await realm.user("keeper"), await realm.user("helper")];
  const hall = await channelOf([keeper, friend], "hall");
  const kept = await sendToChannel(keeper, hall);
  const direct = await sendDirect(keeper, [friend]);
  const queue = await friend.register(["delete_message"]);

  success(await admin.call(deactivateUser, { user_id: keeper.id, actions: { delete_direct_messages: true } }));

  expect(await queue.next()).toMatchObject({ message_type: "private", message_ids: [direct] });
  expect(success(await friend.call(getMessage, { message_id: kept })).message.sender_full_name).toBe("keeper");
});
