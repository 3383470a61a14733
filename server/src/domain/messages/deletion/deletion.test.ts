import { deleteMessage, deleteTopic } from "@skein/api/deletion.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { getMessage } from "@skein/api/messages.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { getTopics } from "@skein/api/topics.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { uploadAs } from "../../../../test/files.ts";
import { capabilities, newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";

const remove = (user: TestUser, message_id: number) => user.call(deleteMessage, { message_id });
const removeTopic = (user: TestUser, { id }: TestChannel, topic_name: string) =>
  user.call(deleteTopic, { stream_id: id, topic_name });
const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });
const noMessage = refusal("Invalid message(s)");
const mayNot = refusal("You don't have permission to delete this message");
const fetched = ["update_message_flags", "message", "subscription", "stream", "starred_messages"];
const age = (realm: TestRealm, id: number, seconds: number) =>
  sql`update messages set date_sent = date_sent - make_interval(secs => ${seconds}) where id = ${id}`.execute(
    realm.ctx.db,
  );

test("a deleted message is gone for everybody who had it, and they receive the event", async () => {
  const realm = await newRealm();
  const [hamlet, friend, outsider] = [await realm.user("hamlet"), await realm.user("friend"), await realm.user("out")];
  const channel = await channelOf([hamlet, friend], "closet", { isPrivate: true });
  const [first, id] = [
    await sendToChannel(hamlet, channel),
    await sendToChannel(hamlet, channel, { content: `@**${friend.fullName}**` }),
  ];
  success(await friend.call(updateMessageFlags, { messages: [first, id], op: "add", flag: "starred" }));
  success(await friend.call(addReaction, { message_id: id, emoji_name: "tada" }));
  const queue = await friend.register(["delete_message"]);
  const follower = await friend.register(undefined, fetched);
  const old = await friend.register(["delete_message"], [], {
    client_capabilities: { ...capabilities, bulk_message_deletion: false },
  });
  const deaf = [await outsider.register(["delete_message"]), await realm.admin.register(["delete_message"])];

  expect(await remove(outsider, id)).toEqual(noMessage);
  success(await remove(hamlet, id));
  success(await remove(hamlet, first));
  const end = await sendToChannel(hamlet, channel);

  const gone = { type: "delete_message", message_type: "stream", stream_id: channel.id, topic: "talk" };
  expect(await queue.next()).toEqual({ ...gone, message_ids: [id] });
  expect(await old.next()).toEqual({ ...gone, message_id: id });
  for (const silent of deaf) expect(await silent.all()).toEqual([]);
  expect(await friend.call(getMessage, { message_id: id })).toEqual(noMessage);
  expect(await remove(hamlet, id)).toEqual(noMessage);
  const fresh = (await friend.register(undefined, fetched)).state;
  const followed = await follower.followedState(end);
  expect(followed.unread_msgs).toEqual(fresh.unread_msgs);
  expect(followed.starred_messages).toEqual([]);
  expect(followed.subscriptions).toEqual(fresh.subscriptions);
  expect(fresh.subscriptions).toMatchObject([{ first_message_id: end }]);
  const kept = await realm.ctx.db.selectFrom("deleted_messages").select("message").where("id", "=", id).execute();
  expect(kept).toMatchObject([
    { message: { id, reactions: [{ emoji_name: "tada" }], flags: [{ user_id: friend.id, mentioned: true }] } },
  ]);
});

test("direct messages are deleted for all participants, and the conversation stays as recent as it was", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const id = await sendDirect(hamlet, [realm.admin]);
  const queue = await realm.admin.register(["delete_message"]);
  const recent = async () =>
    (await realm.admin.register([], ["recent_private_conversations"])).state.recent_private_conversations;
  const before = await recent();

  success(await remove(hamlet, id));

  expect(await queue.next()).toEqual({ type: "delete_message", message_type: "private", message_ids: [id] });
  expect(before).toEqual([{ user_ids: [hamlet.id], max_message_id: id }]);
  expect(await recent()).toEqual(before);
});

test("the organization decides who may delete messages, and for how long", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const bot = await realm.user("bot");
  await sql`update users set is_bot = true, bot_type = 1, bot_owner_id = ${hamlet.id} where id = ${bot.id}`.execute(
    realm.ctx.db,
  );
  const channel = await channelOf([hamlet, friend], "court");
  const [id, old, said] = [
    await sendToChannel(hamlet, channel),
    await sendToChannel(hamlet, channel),
    await sendToChannel(bot, channel),
  ];
  await age(realm, old, 601);

  expect(await remove(friend, id)).toEqual(mayNot);
  expect(await remove(hamlet, old)).toEqual(refusal("The time limit for deleting this message has passed"));
  success(await remove(realm.admin, old));
  success(await remove(hamlet, said));
  const { id: nobody } = await realm.ctx.db
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", "role:nobody")
    .executeTakeFirstOrThrow();
  success(await realm.admin.call(updateRealm, { can_delete_own_message_group: { new: nobody } }));
  expect(await remove(hamlet, id)).toEqual(mayNot);
});

test("a topic is deleted in batches until nothing is left of it", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([hamlet], "court");
  const first = await sendToChannel(hamlet, channel, { topic: "Talk" });
  const stays = await sendToChannel(hamlet, channel, { topic: "other" });
  await sql`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select m.realm_id, m.conversation_id, m.topic_id, m.sender_id, m.client_id, 'x', '<p>x</p>'
    from messages m, generate_series(1, 150) where m.id = ${first}`.execute(realm.ctx.db);
  const queue = await hamlet.register(["delete_message", "stream"]);

  expect(await removeTopic(hamlet, channel, "talk")).toEqual(refusal("Must be an organization administrator"));
  expect(await removeTopic(realm.admin, channel, "talk")).toEqual({ result: "success", msg: "", complete: true });

  const [newest, rest] = [await queue.nextOf("delete_message"), await queue.nextOf("delete_message")];
  expect([newest.message_ids?.length, rest.message_ids?.length]).toEqual([100, 51]);
  expect(rest.message_ids?.[0]).toBe(first);
  expect(newest).toMatchObject({ topic: "Talk", stream_id: channel.id });
  expect(await queue.nextOf("stream")).toMatchObject({ property: "first_message_id", value: stays });
  const { topics } = success(await hamlet.call(getTopics, { stream_id: channel.id }));
  expect(topics).toEqual([{ name: "other", max_id: stays }]);
  expect(await removeTopic(realm.admin, channel, "talk")).toMatchObject({ complete: true });
});

test("an administrator cannot delete a topic they cannot read", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const closet = await channelOf([hamlet], "closet", { isPrivate: true });
  const guarded = await channelOf([hamlet], "guarded", { isPrivate: true, hasSharedHistory: false });
  await sendToChannel(hamlet, closet);
  const early = await sendToChannel(hamlet, guarded);
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "guarded" }], principals: [realm.admin.id] }));
  const late = await sendToChannel(hamlet, guarded);

  expect(await removeTopic(realm.admin, closet, "talk")).toEqual(refusal("Invalid channel ID"));
  expect(await removeTopic((await newRealm()).admin, closet, "talk")).toEqual(refusal("Invalid channel ID"));
  success(await removeTopic(realm.admin, guarded, "talk"));

  expect(await hamlet.call(getMessage, { message_id: late })).toEqual(noMessage);
  success(await hamlet.call(getMessage, { message_id: early }));
});

test("of several concurrent deletions of a message, one succeeds", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel);

  const answers = await Promise.all([0, 1, 2, 3].map((n) => realm.admin.on(n).call(deleteMessage, { message_id: id })));

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
  expect(answers.filter((answer) => answer.result === "error")).toEqual([noMessage, noMessage, noMessage]);
});

test("the owner of a file gets an event when a message that carries it is deleted, unless the owner could not read it", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const channel = await channelOf([hamlet, friend], "court");
  const secret = await channelOf([friend, realm.admin], "closet", { isPrivate: true });
  const content = `[file](${await uploadAs(hamlet)})`;
  const [first, second] = [
    await sendToChannel(hamlet, channel, { content }),
    await sendToChannel(friend, channel, { content }),
  ];
  const hidden = await sendToChannel(friend, secret, { content });
  const [queue, deaf] = [await hamlet.register(["attachment"]), await friend.register(["attachment"])];
  const carriers = async () => {
    const event = await queue.nextOf("attachment");
    return event.op === "update" && event.attachment.messages.map(({ id }) => id);
  };

  success(await remove(friend, hidden));
  success(await remove(friend, second));
  success(await removeTopic(realm.admin, channel, "talk"));

  expect(await carriers()).toEqual([first]);
  expect(await carriers()).toEqual([]);
  expect(await queue.all()).toEqual([]);
  expect(await deaf.all()).toEqual([]);
});
