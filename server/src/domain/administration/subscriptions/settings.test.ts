import {
  getSubscriptions,
  getSubscriptionStatus,
  updateSubscriptions,
  updateSubscriptionSetting,
  updateSubscriptionSettings,
} from "@skein/api/subscriptions.ts";
import { getChannels } from "@skein/api/channels.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { followedAndFresh } from "../../../../test/followed-channels.ts";
import { capabilities, newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel } from "../../../../test/actions.ts";

type Value = boolean | string | null;

const set = (user: TestUser, stream_id: number, property: string, value: Value) =>
  user.call(updateSubscriptionSettings, { subscription_data: [{ stream_id, property, value }] });
const own = async (user: TestUser, stream_id: number) =>
  success(await user.call(getSubscriptions, {})).subscriptions.find((channel) => channel.stream_id === stream_id);

// spec 6: desktop_notifications, email_notifications, wildcard_mentions_notify, push_notifications, audible_notifications, pin_to_top, is_muted, in_home_view, color
test("every setting of a subscription is private to the subscriber", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const { id } = await channelOf([hamlet, friend], "court");
  const queue = await hamlet.register(["stream", "subscription"]);
  const other = await friend.register(["stream", "subscription"]);
  const wanted = [
    ["color", "#a1b2c3"],
    ["pin_to_top", true],
    ["desktop_notifications", true],
    ["audible_notifications", false],
    ["push_notifications", true],
    ["email_notifications", true],
    ["wildcard_mentions_notify", null],
  ] as const;

  const subscription_data = wanted.map(([property, value]) => ({ stream_id: id, property, value }));
  success(await hamlet.call(updateSubscriptionSettings, { subscription_data }));

  const [heard, overheard] = await eventsUntilNow(realm, [queue, other]);
  expect(heard).toEqual(
    wanted.map(([property, value]) => ({ type: "subscription", op: "update", stream_id: id, property, value })),
  );
  expect(overheard).toEqual([]);
  expect(await own(hamlet, id)).toMatchObject(Object.fromEntries(wanted));
  expect(await own(friend, id)).toMatchObject({ pin_to_top: false, push_notifications: null });
});

test("muting is emitted under its old name as well, whichever name the request used", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { id } = await channelOf([hamlet], "court");
  const queue = await hamlet.register(["subscription"]);
  const next = async () => {
    const { property, value } = (await queue.next()) as { property?: string; value?: unknown }; // of an update
    return [property, value];
  };

  success(await set(hamlet, id, "is_muted", true));
  expect([await next(), await next()]).toEqual([
    ["in_home_view", false],
    ["is_muted", true],
  ]);
  success(await set(hamlet, id, "in_home_view", true));
  expect([await next(), await next()]).toEqual([
    ["in_home_view", true],
    ["is_muted", false],
  ]);
  expect(await own(hamlet, id)).toMatchObject({ is_muted: false, in_home_view: true });
});

test("a client that does not support null receives the value it stands for", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { id } = await channelOf([hamlet], "court");
  success(await set(hamlet, id, "wildcard_mentions_notify", false));
  const queue = await hamlet.register(["subscription"], [], {
    client_capabilities: { ...capabilities, notification_settings_null: false },
  });

  success(await set(hamlet, id, "wildcard_mentions_notify", null));

  expect(await queue.next()).toMatchObject({ property: "wildcard_mentions_notify", value: true });
});

test("an uppercase or short color is stored and emitted as six lowercase digits", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { id } = await channelOf([hamlet], "court");
  const queue = await hamlet.register(["subscription"]);

  for (const [wanted, told] of [
    ["#A1b2C3", "#a1b2c3"],
    ["#F0a", "#ff00aa"],
    ["#f0aC", "#ff00aa"],
    ["#F0aCd", "#ff00aa"],
  ] as const) {
    success(await set(hamlet, id, "color", wanted));
    expect(await queue.next()).toMatchObject({ property: "color", value: told });
    expect(await own(hamlet, id)).toMatchObject({ color: told });
  }
  success(await hamlet.call(updateSubscriptions, { add: [{ name: "new", color: "#ABC" }], delete: [] }));
  expect(success(await hamlet.call(getSubscriptions, {})).subscriptions).toContainEqual(
    expect.objectContaining({ name: "new", color: "#aabbcc" }),
  );
});

test("one invalid setting and nothing is changed", async () => {
  const realm = await newRealm();
  const [hamlet, other] = [await realm.user("hamlet"), await realm.user("other")];
  const { id } = await channelOf([hamlet], "court");
  const open = await channelOf([other], "open");
  const hidden = await channelOf([other], "hidden", { isPrivate: true });
  const refusals: [number, string, Value, string][] = [
    [id, "colour", "#fff", "Unknown subscription property: colour"],
    [id, "color", "red", "color is not a valid hex color code"],
    [id, "color", "#1234567", "color is not a valid hex color code"],
    [id, "color", true, "color is not a string"],
    [id, "is_muted", "yes", "is_muted is not a boolean"],
    [id, "pin_to_top", null, "pin_to_top is not a boolean"],
    [open.id, "is_muted", true, `Not subscribed to channel ID ${open.id}`],
    [hidden.id, "is_muted", true, "Invalid channel ID"],
    [999_999_999, "is_muted", true, "Invalid channel ID"],
  ];

  for (const [stream_id, property, value, msg] of refusals) {
    const subscription_data = [
      { stream_id: id, property: "pin_to_top", value: true },
      { stream_id, property, value },
    ];
    expect(await hamlet.call(updateSubscriptionSettings, { subscription_data })).toMatchObject({ msg });
  }
  expect(await own(hamlet, id)).toMatchObject({ pin_to_top: false });
});

test("one setting at a time works too, and keeps counting what is unread", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const channel = await channelOf([hamlet, friend], "court");
  await sendToChannel(friend, channel);

  const { followed, fresh } = await followedAndFresh(realm, [hamlet, friend], async () => {
    for (const [property, value] of [
      ["color", "#abc"],
      ["is_muted", true],
    ] as const)
      success(await hamlet.call(updateSubscriptionSetting, { stream_id: channel.id, property, value }));
    await sendToChannel(friend, channel);
  });
  expect(followed).toEqual(fresh);
  expect(
    await hamlet.request("PATCH", `/users/me/subscriptions/${channel.id}`, { property: "color", value: "#000" }),
  ).toEqual({ result: "success", msg: "" });
  expect(await own(hamlet, channel.id)).toMatchObject({ color: "#000000", is_muted: true });
});

test("subscribing to some channels and leaving others is atomic", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const left = await channelOf([hamlet, guest], "left");
  await channelOf([realm.admin], "closet", { isPrivate: true });
  const update = (user: TestUser, add: { name: string; color?: string; description?: string }[], names: string[]) =>
    user.call(updateSubscriptions, { add, delete: names });

  expect(await update(hamlet, [], [])).toMatchObject({
    msg: 'Nothing to do. Specify at least one of "add" or "delete".',
  });
  expect(await update(hamlet, [{ name: "new" }], ["nowhere"])).toMatchObject({
    msg: "Channel(s) (nowhere) do not exist",
  });
  expect(await update(hamlet, [{ name: "new" }, { name: "closet" }], ["left"])).toMatchObject({
    msg: "Unable to access channel (closet).",
  });
  expect(success(await hamlet.call(getChannels, {})).streams.map(({ name }) => name)).toEqual(["left"]);
  expect(await update(guest, [{ name: "new" }], [])).toMatchObject({ msg: "Not allowed for guest users" });
  expect(await update(hamlet, [{ name: "new", color: "#123456", description: "fresh" }], ["left"])).toMatchObject({
    subscribed: { [hamlet.id]: ["new"] },
    already_subscribed: {},
    removed: ["left"],
    not_removed: [],
  });
  expect(success(await hamlet.call(getSubscriptions, {})).subscriptions).toMatchObject([
    { name: "new", color: "#123456", description: "fresh" },
  ]);
  expect(await update(hamlet, [{ name: "left", color: "#fedcba" }], ["new"])).toMatchObject({ removed: ["new"] });
  expect(await own(hamlet, left.id)).toMatchObject({ color: "#fedcba" });
  expect(await update(guest, [], ["left"])).toMatchObject({ removed: ["left"] });
});

test("a subscription's status is visible to users who can see both user and channel", async () => {
  const realm = await newRealm();
  const [hamlet, friend, stranger] = [
    await realm.user("hamlet"),
    await realm.user("friend"),
    await realm.user("stranger"),
  ];
  const channel = await channelOf([hamlet, friend], "closet", { isPrivate: true });
  const ask = (reader: TestUser, user: { id: number }, stream_id = channel.id) =>
    reader.call(getSubscriptionStatus, { user_id: user.id, stream_id });

  expect(await ask(hamlet, friend)).toMatchObject({ is_subscribed: true });
  expect(await ask(realm.admin, stranger)).toMatchObject({ is_subscribed: false });
  expect(await ask(stranger, hamlet)).toMatchObject({ msg: "Invalid channel ID", code: "BAD_REQUEST" });
  expect(await ask(hamlet, { id: 999_999_999 })).toMatchObject({ msg: "No such user" });
});
