import { updateMessage } from "@skein/api/edits.ts";
import { getTopics } from "@skein/api/topics.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { groupId, only } from "../../../../test/groups.ts";
import { capabilities, newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, messageFor, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";

type Mode = "change_one" | "change_later" | "change_all";
const quiet = { send_notification_to_new_thread: false };
const move = (
  user: TestUser,
  message_id: number,
  topic: string,
  propagate_mode: Mode = "change_one",
  more: object = quiet,
) => user.call(updateMessage, { message_id, topic, propagate_mode, ...more });
const topicsOf = async (user: TestUser, { id }: TestChannel) =>
  success(await user.call(getTopics, { stream_id: id, allow_empty_topic_name: true })).topics.map(({ name }) => name);
const subjectOf = async (user: TestUser, id: number) => (await messageFor(user, id)).subject;
const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });
const fetched = ["update_message_flags", "message", "subscription", "user_topic", "muted_topics", "starred_messages"];
const age = (realm: TestRealm, id: number, seconds: number) =>
  sql`update messages set date_sent = date_sent - make_interval(secs => ${seconds}) where id = ${id}`.execute(
    realm.ctx.db,
  );

async function scene() {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const channel = await channelOf([hamlet, friend], "court");
  const sendMessages = (topic: string, count = 1) =>
    Array.from({ length: count }).reduce<Promise<number[]>>(
      async (ids) => [...(await ids), await sendToChannel(hamlet, channel, { topic })],
      Promise.resolve([]),
    );
  return { realm, hamlet, friend, channel, sendMessages };
}

// spec 2.1: last_moved_timestamp, edit_history, prev_topic, topic
test("one message, it and all later ones, or a whole topic can be moved, and unread counts follow", async () => {
  const { hamlet, friend, channel, sendMessages } = await scene();
  const [first = 0, second = 0, third = 0, fourth = 0] = await sendMessages("talk", 4);
  const queue = await friend.register(undefined, fetched);

  success(await move(friend, second, "one"));
  const update = await queue.nextOf("update_message");
  success(await move(friend, third, "later", "change_later"));
  success(await move(friend, first, "all", "change_all"));

  expect(update).toEqual({
    type: "update_message",
    user_id: friend.id,
    rendering_only: false,
    message_id: second,
    message_ids: [second],
    flags: [],
    edit_timestamp: expect.any(Number),
    stream_id: channel.id,
    stream_name: "court",
    propagate_mode: "change_one",
    orig_subject: "talk",
    subject: "one",
    topic_links: [],
  });
  expect(await queue.nextOf("update_message")).toMatchObject({ message_ids: [third, fourth], subject: "later" });
  expect(await queue.nextOf("update_message")).toMatchObject({ message_ids: [first], propagate_mode: "change_all" });
  const last = await friend.register(undefined, fetched);
  success(await move(friend, third, "ALL", "change_all"));
  const end = await sendToChannel(hamlet, channel, { topic: "one" });
  const fresh = (await friend.register(undefined, fetched)).state;
  expect(fresh.unread_msgs?.streams).toEqual([
    { stream_id: channel.id, topic: "all", unread_message_ids: [first, third, fourth] },
    { stream_id: channel.id, topic: "one", unread_message_ids: [second, end] },
  ]);
  expect((await last.followedState(end)).unread_msgs).toEqual(fresh.unread_msgs);
  expect(await topicsOf(friend, channel)).toEqual(["one", "all"]);
  expect((await messageFor(friend, fourth)).edit_history).toMatchObject([
    { prev_topic: "later", topic: "all" },
    { prev_topic: "talk", topic: "later" },
  ]);
  expect(await messageFor(friend, fourth)).toMatchObject({ last_moved_timestamp: expect.any(Number) });
});

test("renaming a whole topic changes one row, however many messages it has, and earlier names are kept", async () => {
  const { realm, hamlet, channel, sendMessages } = await scene();
  const [first = 0] = await sendMessages("talk");
  await sql`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select m.realm_id, m.conversation_id, m.topic_id, m.sender_id, m.client_id, 'x', '<p>x</p>'
    from messages m, generate_series(1, 12000) where m.id = ${first}`.execute(realm.ctx.db);
  const stateOf = () =>
    sql<{
      newest: string;
    }>`select max(xmin::text::bigint) as newest from messages where conversation_id = ${channel.id}`
      .execute(realm.ctx.db)
      .then(({ rows }) => rows);
  const before = await stateOf();
  const queue = await hamlet.register(["update_message"]);

  success(await move(hamlet, first, "renamed", "change_all"));
  success(await move(hamlet, first, "renamed twice", "change_all"));

  expect(await stateOf()).toEqual(before);
  const parts = [await queue.nextOf("update_message"), await queue.nextOf("update_message")];
  expect(parts[0]?.message_id).toBe(first);
  expect(parts.map((event) => event.message_ids.length)).toEqual([10_000, 2001]);
  for (const event of parts) expect(event.message_ids).toContain(event.message_id);
  const later = await sendToChannel(hamlet, channel, { topic: "renamed twice" });
  success(await move(hamlet, first, "elsewhere"));
  expect((await messageFor(hamlet, first)).edit_history).toMatchObject([
    { prev_topic: "renamed twice", topic: "elsewhere" },
    { prev_topic: "renamed", topic: "renamed twice" },
    { prev_topic: "talk", topic: "renamed" },
  ]);
  expect(await messageFor(hamlet, later)).not.toHaveProperty("edit_history");
});

test("a former topic name can be used again, and an empty topic gives way", async () => {
  const { hamlet, friend, channel, sendMessages } = await scene();
  const [first = 0] = await sendMessages("talk");
  success(await friend.call(updateUserTopic, { stream_id: channel.id, topic: "planned", visibility_policy: 3 }));

  success(await move(hamlet, first, "planned", "change_all"));
  const [second = 0] = await sendMessages("talk");
  success(await move(hamlet, first, "TALK", "change_all"));

  expect(await subjectOf(hamlet, first)).toBe("talk");
  expect(await subjectOf(hamlet, second)).toBe("talk");
  expect(await topicsOf(hamlet, channel)).toEqual(["talk"]);
  success(await move(hamlet, first, "Talk", "change_all"));
  expect(await topicsOf(hamlet, channel)).toEqual(["Talk"]);
});

// spec 2.1: last_moved_timestamp
test("resolving is not a move; a notice is posted in the topic, and unresolving works the same way", async () => {
  const { hamlet, friend, channel, sendMessages } = await scene();
  const [first = 0] = await sendMessages("talk");
  const queue = await friend.register(["message", "update_message"], [], { apply_markdown: true });

  success(await move(hamlet, first, "✔ talk", "change_all", {}));

  expect(await queue.next()).toMatchObject({ type: "update_message", orig_subject: "talk", subject: "✔ talk" });
  const { message } = await queue.nextOf("message");
  expect(message).toMatchObject({ subject: "✔ talk", sender_full_name: "Notification Bot" });
  expect(message.content).toContain("marked this topic as resolved");
  expect(message.content).toContain(`data-user-id="${hamlet.id}"`);
  expect(await messageFor(friend, first)).not.toHaveProperty("last_moved_timestamp");
  expect((await messageFor(friend, first)).edit_history).toMatchObject([{ prev_topic: "talk", topic: "✔ talk" }]);
  success(await move(hamlet, first, "talk", "change_all", {}));
  expect((await queue.nextOf("message")).message.content).toContain("marked this topic as unresolved");
  expect(await topicsOf(friend, channel)).toEqual(["talk"]);
});

test("resolving is a permission of its own without a time limit, and the permission to rename does not include it", async () => {
  const { realm, hamlet, friend, sendMessages } = await scene();
  const [first = 0] = await sendMessages("talk", 2);
  await age(realm, first, 8 * 24 * 60 * 60);
  const may = (group: string, ...people: TestUser[]) =>
    realm.admin.call(updateRealm, { [group]: { new: only(...people) } }).then(success);
  const queue = await friend.register(["realm"], ["realm"]);

  success(await move(hamlet, first, "✔ talk", "change_all"));
  await may("can_resolve_topics_group", friend);
  await may("can_move_messages_between_topics_group", hamlet);

  expect(queue.state.realm_can_resolve_topics_group).toBe(await groupId(realm, "role:everyone"));
  expect(await queue.next()).toMatchObject({ data: { can_resolve_topics_group: only(friend) } });
  const refused = refusal("You don't have permission to resolve topics.");
  for (const node of [0, 1])
    expect(
      await hamlet.on(node).call(updateMessage, { message_id: first, topic: "talk", propagate_mode: "change_all" }),
    ).toEqual(refused);
  success(await move(friend, first, "talk", "change_all"));
  expect(await subjectOf(hamlet, first)).toBe("talk");
  expect(await move(friend, first, "other", "change_all")).toEqual(
    refusal("You don't have permission to edit this message"),
  );
});

test("notices about a move are posted in the old and the new topic if requested", async () => {
  const { hamlet, friend, sendMessages } = await scene();
  const [first = 0, second = 0] = await sendMessages("talk", 3);
  const queue = await friend.register(["message"], [], { apply_markdown: true });
  const both = { send_notification_to_old_thread: true };

  success(await move(hamlet, first, "one", "change_one", both));
  const [old, fresh] = [(await queue.nextOf("message")).message, (await queue.nextOf("message")).message];
  success(await move(hamlet, second, "whole", "change_all", {}));
  const whole = (await queue.nextOf("message")).message;
  success(await move(hamlet, second, "silent", "change_all"));
  await sendDirect(hamlet, [friend], { content: "over" });

  expect(old).toMatchObject({ subject: "talk" });
  expect(old.content).toMatch(/moved a message from this topic to <a .*near/);
  expect(fresh).toMatchObject({ subject: "one" });
  expect(fresh.content).toMatch(/moved a message here from <a /);
  expect(whole).toMatchObject({ subject: "whole" });
  expect(whole.content).toMatch(/moved this topic here from/);
  expect((await queue.nextOf("message")).message.content).toBe("<p>over</p>");
});

test("visibility policies move along with a topic, and are merged where two topics meet", async () => {
  const { hamlet, friend, channel, sendMessages } = await scene();
  const [first = 0] = await sendMessages("talk");
  const [other = 0] = await sendMessages("other");
  const choose = (user: TestUser, topic: string, visibility_policy: 1 | 2 | 3) =>
    user.call(updateUserTopic, { stream_id: channel.id, topic, visibility_policy }).then(success);
  await choose(friend, "talk", 3);
  await choose(hamlet, "talk", 1);
  await choose(hamlet, "other", 2);
  const queues = [await friend.register(undefined, fetched), await hamlet.register(undefined, fetched)];
  const kept = async (user: TestUser) => (await user.register([], ["user_topic"])).state.user_topics;

  success(await move(hamlet, first, "new name", "change_all"));
  expect(await kept(friend)).toMatchObject([{ topic_name: "new name", visibility_policy: 3 }]);
  const [queue] = queues;
  expect(await queue?.nextOf("user_topic")).toMatchObject({ topic_name: "talk", visibility_policy: 0 });
  expect(await queue?.nextOf("user_topic")).toMatchObject({ topic_name: "new name", visibility_policy: 3 });
  const followers = [await friend.register(undefined, fetched), await hamlet.register(undefined, fetched)];
  success(await move(hamlet, first, "other", "change_all"));
  const end = await sendToChannel(hamlet, channel, { topic: "other" });

  expect(await kept(friend)).toEqual([]);
  expect(await kept(hamlet)).toMatchObject([{ topic_name: "other", visibility_policy: 2 }]);
  expect(await subjectOf(friend, other)).toBe("other");
  for (const follower of followers) {
    const followed = await follower.followedState(end);
    const fresh = (await follower.user.register(undefined, fetched)).state;
    expect(followed.user_topics).toEqual(fresh.user_topics);
    expect(followed.muted_topics).toEqual(fresh.muted_topics);
  }
});

test("the organization decides who may move messages, and how old they may be", async () => {
  const { realm, hamlet, friend, channel, sendMessages } = await scene();
  const moderator = await realm.user("mod", { role: 300 });
  success(await moderator.call(subscribe, { subscriptions: [{ name: channel.name }] }));
  const [first = 0, second = 0, third = 0] = await sendMessages("talk", 3);
  await age(realm, first, 604_800 + 30);
  await age(realm, second, 604_800 + 10);

  expect(await move(hamlet, first, "x")).toEqual(
    refusal("The time limit for editing this message's topic has passed."),
  );
  expect(await move(hamlet, third, "x", "change_all")).toEqual({
    result: "error",
    msg: "You only have permission to move the 2/3 most recent messages in this topic.",
    code: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
    first_message_id_allowed_to_move: second,
    total_messages_in_topic: 3,
    total_messages_allowed_to_move: 2,
  });
  success(await move(friend, second, "x", "change_later"));
  success(await move(moderator, first, "y", "change_all"));
  const { id: members } = await realm.ctx.db
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", "role:moderators")
    .executeTakeFirstOrThrow();
  success(await realm.admin.call(updateRealm, { can_move_messages_between_topics_group: { new: members } }));
  // Who made the channel administers it, and may.
  expect(await move(friend, third, "z")).toEqual(refusal("You don't have permission to edit this message"));
  expect(await subjectOf(hamlet, third)).toBe("x");
});

test("where history is protected, nobody moves or receives events about messages they cannot read", async () => {
  const realm = await newRealm();
  const [hamlet, late] = [await realm.user("hamlet"), await realm.user("late")];
  const channel = await channelOf([hamlet], "closet", { isPrivate: true, hasSharedHistory: false });
  const early = await sendToChannel(hamlet, channel, { topic: "talk" });
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "closet" }], principals: [late.id] }));
  const after = await sendToChannel(hamlet, channel, { topic: "talk" });
  const queue = await late.register(["update_message"]);

  success(await move(hamlet, early, "renamed", "change_all"));
  success(await move(late, after, "mine", "change_all"));

  expect(await queue.next()).toMatchObject({ message_id: after, message_ids: [after], subject: "renamed" });
  expect(await queue.next()).toMatchObject({ message_ids: [after], subject: "mine" });
  expect(await subjectOf(hamlet, early)).toBe("renamed");
  expect(await subjectOf(hamlet, after)).toBe("mine");
  expect(await topicsOf(late, channel)).toEqual(["mine"]);
});

// spec 8: edit-history and topic fields follow allow_empty_topic_name
test("clients without support for empty topics get the display name in moves", async () => {
  const { hamlet, friend, sendMessages } = await scene();
  const [first = 0] = await sendMessages("");
  const queue = await friend.register(["update_message"], [], {
    client_capabilities: { ...capabilities, empty_topic_name: false },
  });

  success(await move(hamlet, first, "named", "change_all"));
  success(await move(hamlet, first, "general chat", "change_all"));

  expect(await queue.next()).toMatchObject({ orig_subject: "general chat", subject: "named" });
  expect(await queue.next()).toMatchObject({ orig_subject: "named", subject: "general chat" });
  expect((await messageFor(friend, first)).edit_history).toMatchObject([
    { topic: "general chat" },
    { prev_topic: "general chat" },
  ]);
});

test("of two concurrent renames of a topic one comes after the other, and sends go to the topic they name", async () => {
  const { hamlet, friend, channel, sendMessages } = await scene();
  const [first = 0] = await sendMessages("start");
  const queue = await friend.register(undefined, fetched);

  await Promise.all(
    Array.from({ length: 10 }, (_, n) => [
      hamlet
        .on(n)
        .call(updateMessage, { message_id: first, topic: `name ${n}`, propagate_mode: "change_all", ...quiet }),
      sendToChannel(hamlet, channel, { topic: `name ${n - 1}` }),
      sendToChannel(hamlet, channel, { topic: "start" }),
    ]).flat(),
  );
  const end = await sendToChannel(hamlet, channel, { topic: "end" });

  const fresh = (await friend.register(undefined, fetched)).state;
  expect((await queue.followedState(end)).unread_msgs).toEqual(fresh.unread_msgs);
});

test("a move that rewrites too many messages is refused; moving the newest first works, and renaming has no limit", async () => {
  const { realm, hamlet, sendMessages } = await scene();
  const [first = 0, other = 0] = [...(await sendMessages("talk")), ...(await sendMessages("other"))];
  const most = realm.ctx.config.maxMovedMessages;
  const { rows } = await sql<{ id: number }>`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select m.realm_id, m.conversation_id, m.topic_id, m.sender_id, m.client_id, 'x', '<p>x</p>'
    from messages m, generate_series(1, ${most + 10}) where m.id = ${first} returning id`.execute(realm.ctx.db);
  const newest = rows.map(({ id }) => id).toSorted((a, b) => b - a)[most - 1] ?? 0;

  const refused = await move(hamlet, first, "other", "change_all");
  const renamed = await move(hamlet, first, "renamed", "change_all");
  const later = await move(hamlet, newest, "other", "change_later");
  const rest = await move(hamlet, first, "other", "change_all");

  expect(refused).toMatchObject({ result: "error", msg: expect.stringMatching(/^At most 5000 messages can be moved/) });
  for (const answer of [renamed, later, rest]) success(answer);
  const [counted] = (
    await sql<{ count: number }>`
      select count(*) from messages where topic_id = (select topic_id from messages where id = ${other})`.execute(
      realm.ctx.db,
    )
  ).rows;
  expect(counted?.count).toBeGreaterThan(most + 10);
});
