import { getUserStatus, updateStatus } from "@skein/api/status.ts";
import { updateSettings } from "@skein/api/settings.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { sendDirect } from "../../../../test/actions.ts";

const set = (user: TestUser, status: ArgumentsOf<typeof updateStatus>) => user.call(updateStatus, status);
const shown = async (reader: TestUser, user: TestUser) =>
  success(await reader.call(getUserStatus, { user_id: user.id })).status;
const registered = async (reader: TestUser) => (await reader.register([], ["user_status"])).state.user_status;

async function customEmoji(realm: TestRealm, name: string, deactivated = false): Promise<string> {
  const { id } = await realm.ctx.db
    .insertInto("custom_emoji")
    .values({ realm_id: realm.id, name, author_id: realm.admin.id, file_name: `${realm.id}-${name}.png`, deactivated })
    .returning("id")
    .executeTakeFirstOrThrow();
  return String(id);
}

// spec 4.12: status_text, only passed parameters change
// spec 2.10: status_text, emoji_name, emoji_code, reaction_type
test("text and emoji are set separately, shown to others, and sent as events", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const queue = await guest.register(["user_status"]);
  const octopus = { emoji_name: "octopus", emoji_code: "1f419", reaction_type: "unicode_emoji" };

  success(await set(hamlet, { status_text: " on holiday " }));
  success(await set(hamlet, { emoji_name: "octopus" }));

  const event = { type: "user_status", user_id: hamlet.id };
  expect(await queue.next()).toEqual({ ...event, status_text: "on holiday" });
  expect(await queue.next()).toEqual({ ...event, ...octopus });
  expect(await shown(guest, hamlet)).toEqual({ status_text: "on holiday", ...octopus });
  expect(await registered(guest)).toEqual({ [hamlet.id]: { status_text: "on holiday", ...octopus } });
});

// spec 4.12: status_text, empty string clears the status
test("empty values clear the status, and users without one are not listed", async () => {
  const realm = await newRealm();
  success(await set(realm.admin, { status_text: "busy", emoji_name: "tada" }));
  const queue = await realm.admin.register(["user_status"]);

  success(await set(realm.admin, { status_text: "" }));
  expect(await shown(realm.admin, realm.admin)).toMatchObject({ emoji_name: "tada" });
  success(await set(realm.admin, { emoji_name: "" }));

  expect(await queue.next()).toMatchObject({ status_text: "" });
  expect(await queue.next()).toEqual({
    type: "user_status",
    user_id: realm.admin.id,
    emoji_name: "",
    emoji_code: "",
    reaction_type: "unicode_emoji",
  });
  expect(await shown(realm.admin, realm.admin)).toEqual({});
  expect(await registered(realm.admin)).toEqual({});
});

// spec 4.12: emoji_name, emoji_code, reaction_type, unicode_emoji, realm_emoji, zulip_extra_emoji
test("an emoji is a Unicode one, the extra one or a custom one, which takes precedence", async () => {
  const realm = await newRealm();
  const code = await customEmoji(realm, "octopus");
  const emoji = async (status: ArgumentsOf<typeof updateStatus>) => {
    success(await set(realm.admin, status));
    const { emoji_code, reaction_type } = await shown(realm.admin, realm.admin);
    return [emoji_code, reaction_type];
  };

  expect(await emoji({ emoji_name: "octopus" })).toEqual([code, "realm_emoji"]);
  expect(await emoji({ emoji_name: "octopus", emoji_code: code, reaction_type: "realm_emoji" })).toEqual([
    code,
    "realm_emoji",
  ]);
  expect(await emoji({ emoji_name: "octopus", emoji_code: "1f419", reaction_type: "unicode_emoji" })).toEqual([
    "1f419",
    "unicode_emoji",
  ]);
  expect(await emoji({ emoji_name: "zulip" })).toEqual(["zulip", "zulip_extra_emoji"]);
});

// spec 4.12: error no new values passed, error status_text too long, error emoji_code or reaction_type without emoji_name, error emoji name does not exist, error invalid emoji name, error invalid custom emoji
test("invalid values are refused with the reason, and change nothing", async () => {
  const realm = await newRealm();
  const abroad = await newRealm();
  const [gone, foreign] = [await customEmoji(realm, "gone", true), await customEmoji(abroad, "foreign")];
  const octopus = { emoji_name: "octopus" };
  const refused: [Record<string, string>, string][] = [
    [{}, "Client did not pass any new values."],
    [{ status_text: "x".repeat(61) }, "status_text is too long (limit: 60 characters)"],
    [{ emoji_code: "1f419" }, "Client must pass emoji_name if they pass either emoji_code or reaction_type."],
    [
      { status_text: "x", reaction_type: "unicode_emoji" },
      "Client must pass emoji_name if they pass either emoji_code or reaction_type.",
    ],
    [{ emoji_name: "no_such_emoji" }, "Emoji 'no_such_emoji' does not exist"],
    [{ emoji_name: "nul\0byte" }, "Emoji 'nul\0byte' does not exist"],
    [{ ...octopus, emoji_code: "1f389", reaction_type: "unicode_emoji" }, "Invalid emoji name."],
    [{ ...octopus, emoji_code: "zzzz", reaction_type: "unicode_emoji" }, "Invalid emoji code."],
    [{ ...octopus, emoji_code: "octopus", reaction_type: "zulip_extra_emoji" }, "Invalid emoji code."],
    [{ ...octopus, emoji_code: "1f419", reaction_type: "hieroglyph" }, "Invalid emoji type."],
    [{ ...octopus, emoji_code: "99999999", reaction_type: "realm_emoji" }, "Invalid custom emoji."],
    [{ emoji_name: "foreign", emoji_code: foreign, reaction_type: "realm_emoji" }, "Invalid custom emoji."],
    [{ emoji_name: "gone", emoji_code: gone, reaction_type: "realm_emoji" }, "This custom emoji has been deactivated."],
    [{ emoji_name: "gone" }, "Emoji 'gone' does not exist"],
    [{ status_text: "nul\0byte" }, "Invalid status_text"],
    [{ away: "maybe" }, "away is not valid JSON"],
  ];

  for (const [form, msg] of refused)
    expect(await realm.admin.request("POST", "/users/me/status", form)).toEqual({
      result: "error",
      code: "BAD_REQUEST",
      msg,
    });
  expect(await shown(realm.admin, realm.admin)).toEqual({});
});

// spec 8: status_text length
test("the limit of sixty characters counts code points", async () => {
  const realm = await newRealm();

  success(await set(realm.admin, { status_text: "🐙".repeat(60) }));

  const tooLong = { status_text: "🐙".repeat(61) };
  expect(await realm.admin.request("POST", "/users/me/status", tooLong)).toMatchObject({ code: "BAD_REQUEST" });
});

// spec 4.12: away, presence_enabled
// spec 2.10: away
test("away is the setting presence_enabled, and either change emits both events", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const own = await hamlet.register(["user_settings"], ["user_settings"]);
  const others = await ophelia.register(["user_status", "user_settings"]);

  success(await set(hamlet, { away: true }));
  success(await set(hamlet, { away: true }));
  expect(await shown(ophelia, hamlet)).toEqual({ away: true });
  expect(await registered(ophelia)).toEqual({ [hamlet.id]: { away: true } });
  success(await hamlet.call(updateSettings, { presence_enabled: true }));

  expect(await own.next()).toMatchObject({ property: "presence_enabled", value: false });
  expect(await own.next()).toMatchObject({ property: "presence_enabled", value: true });
  expect(await others.next()).toEqual({ type: "user_status", user_id: hamlet.id, away: true });
  expect(await others.next()).toEqual({ type: "user_status", user_id: hamlet.id, away: false });
  expect(await shown(ophelia, hamlet)).toEqual({});
});

// spec 4.12: audience
test("a reader who cannot see a user neither receives nor finds the status", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const stranger = (await newRealm()).admin;
  await realm.ctx.db
    .updateTable("realms")
    .set((query) => ({
      can_access_all_users_group_id: query
        .selectFrom("user_groups")
        .select("id")
        .where("realm_id", "=", realm.id)
        .where("name", "=", "role:members"),
    }))
    .where("id", "=", realm.id)
    .execute();
  const queue = await guest.register(["user_status", "message"]);

  success(await set(hamlet, { status_text: "secret" }));

  const noSuchUser = { result: "error", msg: "No such user" };
  expect(await registered(guest)).toEqual({});
  expect(await guest.call(getUserStatus, { user_id: hamlet.id })).toMatchObject(noSuchUser);
  expect(await stranger.call(getUserStatus, { user_id: hamlet.id })).toMatchObject(noSuchUser);
  const mark = await sendDirect(guest, [guest]);
  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("a client that applied the events has the same state as a fresh registration", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  success(await set(ophelia, { status_text: "here" }));
  const queue = await hamlet.register(["user_status", "message"], ["user_status"]);

  success(await set(hamlet, { status_text: "busy", emoji_name: "tada", away: true }));
  success(await set(hamlet, { emoji_name: "octopus" }));
  success(await set(hamlet, { status_text: "", away: false }));
  success(await set(ophelia, { status_text: "" }));
  const mark = await sendDirect(hamlet, [hamlet]);

  const followed = await queue.followedState(mark);
  expect(followed.user_status).toEqual(await registered(hamlet));
  expect(Object.keys(followed.user_status ?? {})).toEqual([String(hamlet.id)]);
});
