import { archiveChannel } from "@skein/api/channels.ts";
import { deactivateCustomEmoji } from "@skein/api/emoji.ts";
import { addReaction, removeReaction } from "@skein/api/reactions.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import sharp from "sharp";
import { expect, test } from "vitest";
import { chooseSettings } from "../../../../test/choose-settings.ts";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, messageFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const react = (user: TestUser, message_id: number, emoji_name: string, exact = {}) =>
  user.call(addReaction, { message_id, emoji_name, ...exact });
const takeBack = (user: TestUser, message_id: number, emoji: object) =>
  user.call(removeReaction, { message_id, ...emoji });
const reactionsOf = async (user: TestUser, id: number) => (await messageFor(user, id)).reactions;
const refusal = (msg: string, code = "BAD_REQUEST") => ({ result: "error", msg, code });
const there = refusal("Reaction already exists.", "REACTION_ALREADY_EXISTS");
const notThere = refusal("Reaction doesn't exist.", "REACTION_DOES_NOT_EXIST");
const noMessage = refusal("Invalid message(s)");

async function customEmoji(realm: TestRealm, name: string): Promise<string> {
  const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } }).png();
  await realm.admin.upload(`/realm/emoji/${name}`, { "x.png": await picture.toBuffer() });
  const row = await realm.ctx.db
    .selectFrom("custom_emoji")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return String(row.id);
}

// spec 2.1: reactions, emoji_name, emoji_code, reaction_type, user_id, unicode_emoji, realm_emoji, zulip_extra_emoji
test("a message lists reactions of all kinds in the order they were added", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const code = await customEmoji(realm, "crown");
  const id = await sendDirect(hamlet, [realm.admin]);

  for (const name of ["octopus", "zulip", "crown"]) success(await react(hamlet, id, name));
  success(await react(realm.admin, id, "octopus"));
  success(await react(realm.admin, id, "crown", { emoji_code: code, reaction_type: "realm_emoji" }));

  const octopus = { emoji_name: "octopus", emoji_code: "1f419", reaction_type: "unicode_emoji" };
  const crown = { emoji_name: "crown", emoji_code: code, reaction_type: "realm_emoji" };
  expect(await reactionsOf(hamlet, id)).toEqual([
    { ...octopus, user_id: hamlet.id },
    { emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji", user_id: hamlet.id },
    { ...crown, user_id: hamlet.id },
    { ...octopus, user_id: realm.admin.id },
    { ...crown, user_id: realm.admin.id },
  ]);
});

// spec 6: reaction
test("only subscribers receive events when reactions are added and removed", async () => {
  const realm = await newRealm();
  const [hamlet, friend, outsider] = [await realm.user("hamlet"), await realm.user("friend"), await realm.user("out")];
  const guest = await realm.user("guest", { role: 600 });
  const channel = await channelOf([hamlet, friend], "closet", { isPrivate: true });
  const id = await sendToChannel(hamlet, channel);
  const others = [outsider, guest, realm.admin, (await newRealm()).admin];
  const queue = await friend.register(["reaction"]);
  const deaf = await Promise.all(others.map((user) => user.register(["reaction"])));

  success(await react(hamlet, id, "tada"));
  success(await takeBack(hamlet, id, { emoji_name: "tada" }));

  const event = {
    type: "reaction",
    message_id: id,
    emoji_name: "tada",
    emoji_code: "1f389",
    reaction_type: "unicode_emoji",
    user_id: hamlet.id,
    user: { user_id: hamlet.id, email: hamlet.email, full_name: "hamlet" },
  };
  expect(await queue.next()).toEqual({ ...event, op: "add" });
  expect(await queue.next()).toEqual({ ...event, op: "remove" });
  for (const silent of deaf) expect(await silent.all()).toEqual([]);
  for (const user of others) expect(await react(user, id, "tada")).toEqual(noMessage);
  expect(await reactionsOf(friend, id)).toEqual([]);
});

test("in a public channel, both a former subscriber who was sent the message and a new one receive the event", async () => {
  const realm = await newRealm();
  const [hamlet, leaver, newcomer] = [await realm.user("h"), await realm.user("leaver"), await realm.user("new")];
  const channel = await channelOf([hamlet, leaver], "court");
  const id = await sendToChannel(hamlet, channel);
  success(await leaver.call(unsubscribe, { subscriptions: ["court"] }));
  success(await newcomer.call(subscribe, { subscriptions: [{ name: "court" }] }));
  const queues = [await leaver.register(["reaction"]), await newcomer.register(["reaction"])];

  success(await react(hamlet, id, "tada"));

  for (const queue of queues) expect(await queue.next()).toMatchObject({ op: "add", message_id: id });
});

test("where history is protected, only users who were sent the message can react and receive events", async () => {
  const realm = await newRealm();
  const [hamlet, late] = [await realm.user("hamlet"), await realm.user("late")];
  const channel = await channelOf([hamlet], "closet", { isPrivate: true, hasSharedHistory: false });
  const id = await sendToChannel(hamlet, channel);
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "closet" }], principals: [late.id] }));
  const queue = await late.register(["reaction", "stream"]);

  success(await react(hamlet, id, "tada"));

  expect(await react(late, id, "tada")).toEqual(noMessage);
  const [events] = await eventsUntilNow(realm, [queue]);
  expect(events).toEqual([]);
});

test("unknown emoji and mismatched names are refused", async () => {
  const realm = await newRealm();
  const id = await sendDirect(realm.admin, [realm.admin]);
  const attempt = (emoji_name: string, exact = {}) => react(realm.admin, id, emoji_name, exact);

  expect(await attempt("no_such_emoji")).toEqual(refusal("Emoji 'no_such_emoji' does not exist"));
  expect(await attempt("tada", { emoji_code: "1f419", reaction_type: "unicode_emoji" })).toEqual(
    refusal("Invalid emoji name."),
  );
  expect(await attempt("tada", { emoji_code: "9999", reaction_type: "realm_emoji" })).toEqual(
    refusal("Invalid custom emoji."),
  );
  expect(await attempt("tada", { emoji_code: "x\0", reaction_type: "other" })).toEqual(refusal("Invalid emoji type."));
  expect(await takeBack(realm.admin, id, {})).toEqual(
    refusal("At least one of the following arguments must be present: emoji_name, emoji_code"),
  );
  expect(await takeBack(realm.admin, id, { emoji_name: "tada" })).toEqual(notThere);
  expect(await react(realm.admin, 999_999_999, "tada")).toEqual(noMessage);
});

test("a user who joins a reaction gets the name the first one used, even if the emoji is deactivated", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const code = await customEmoji(realm, "crown");
  const exact = { emoji_code: code, reaction_type: "realm_emoji" };
  const id = await sendDirect(hamlet, [friend]);
  success(await react(hamlet, id, "+1"));
  success(await react(hamlet, id, "crown"));
  success(await realm.admin.call(deactivateCustomEmoji, { emoji_name: "crown" }));

  success(await react(friend, id, "thumbs_up"));
  success(await react(friend, id, "crown", exact));
  success(await takeBack(hamlet, id, { emoji_name: "crown" }));
  success(await takeBack(friend, id, exact));

  expect(await react(hamlet, id, "crown", exact)).toEqual(refusal("This custom emoji has been deactivated."));
  expect((await reactionsOf(hamlet, id)).map(({ emoji_name }) => emoji_name)).toEqual(["+1", "+1"]);
});

test("when many users react concurrently with one emoji under two names, one name wins; each user counts once", async () => {
  const realm = await newRealm();
  const people = await Promise.all(Array.from({ length: 4 }, (_, n) => realm.user(`p${n}`)));
  const channel = await channelOf([realm.admin, ...people], "court");
  const id = await sendToChannel(realm.admin, channel);
  const attempts = people.flatMap((person, n) =>
    [0, 1].map((node) => person.on(node).call(addReaction, { message_id: id, emoji_name: n % 2 ? "+1" : "thumbs_up" })),
  );

  const answers = await Promise.all(attempts);

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(people.length);
  expect(answers.filter((answer) => answer.result === "error")).toEqual(people.map(() => there));
  const reactions = await reactionsOf(realm.admin, id);
  expect(new Set(reactions.map(({ emoji_name }) => emoji_name)).size).toBe(1);
  expect(new Set(reactions.map(({ user_id }) => user_id))).toEqual(new Set(people.map(({ id: own }) => own)));
});

test("nobody can react in an archived channel", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel);
  success(await react(realm.admin, id, "tada"));
  success(await realm.admin.call(archiveChannel, { stream_id: channel.id }));

  expect(await react(realm.admin, id, "octopus")).toEqual(noMessage);
  expect(await takeBack(realm.admin, id, { emoji_name: "tada" })).toEqual(noMessage);
});

// spec 3.1: automatically_follow_topics_policy, followed
test("a reaction counts as participation in the topic", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([realm.admin, hamlet], "court");
  await chooseSettings(hamlet, { automatically_follow_topics_policy: 1 });
  const id = await sendToChannel(realm.admin, channel, { topic: "lunch" });
  const queue = await hamlet.register(["user_topic"]);

  success(await react(hamlet, id, "tada"));

  expect(await queue.next()).toMatchObject({ topic_name: "lunch", visibility_policy: 3 });
});
