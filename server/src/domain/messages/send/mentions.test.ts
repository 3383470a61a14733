import { createBot } from "@skein/api/bots.ts";
import { updateChannel } from "@skein/api/channels.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, TestUser, type TestRealm } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const channel = "elsinore";

async function court(size: number): Promise<{ realm: TestRealm; people: [TestUser, TestUser, ...TestUser[]] }> {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("Hamlet"), await realm.user("Ophelia")];
  const others = await Promise.all(Array.from({ length: size - 2 }, (_, n) => realm.user(`Courtier ${n}`)));
  const people: [TestUser, TestUser, ...TestUser[]] = [hamlet, ophelia, ...others];
  const principals = people.map(({ id }) => id);
  success(await hamlet.call(subscribe, { subscriptions: [{ name: channel }], principals }));
  return { realm, people };
}

const send = (user: TestUser, content: string, topic = "watch") =>
  user.call(sendMessage, { type: "channel", to: channel, topic, content });
const flags = async (user: TestUser, message_id: number) =>
  success(await user.call(getMessage, { message_id })).message.flags;

test("a mention flags the message for the mentioned user, in the event and afterwards", async () => {
  const { realm, people } = await court(2);
  const [hamlet, ophelia] = people;
  const courtier = await realm.user("Osric");
  success(await courtier.call(subscribe, { subscriptions: [{ name: channel }] }));
  const queues = [await ophelia.register(["message"]), await courtier.register(["message"])];

  const { id } = success(await send(hamlet, "soft you now, @**Ophelia**"));

  const [hers, his] = await Promise.all(queues.map((queue) => queue.nextOf("message")));
  expect(hers).toMatchObject({ message: { id }, flags: ["mentioned"] });
  expect(his).toMatchObject({ message: { id }, flags: [] });
  expect(await flags(ophelia, id)).toEqual(["mentioned"]);
  const { message } = success(await ophelia.call(getMessage, { message_id: id }));
  expect(message.content).toBe(
    `<p>soft you now, <span class="user-mention" data-user-id="${ophelia.id}">@Ophelia</span></p>`,
  );
});

test("a mention does not give access: an outsider gets neither a flag nor the event", async () => {
  const { realm, people } = await court(2);
  const outsider = await realm.user("Fortinbras");
  const queue = await outsider.register(["message"]);

  const { id } = success(await send(people[0], "beware @**Fortinbras**"));
  const mark = success(await people[0].call(sendMessage, { type: "direct", to: [outsider.id], content: "mark" }));

  expect((await queue.nextOf("message")).message.id).toBe(mark.id);
  expect(await flags(outsider, id)).toEqual(["read", "historical"]);
});

async function newBot(owner: TestUser, short_name: string, full_name: string): Promise<TestUser> {
  const { user_id, api_key } = success(await owner.call(createBot, { full_name, short_name }));
  return new TestUser(owner.realm, user_id, `${short_name}-bot@${owner.realm.host}`, full_name, api_key);
}

test("a bot receives a message that mentions it in a channel it could read, and no other", async () => {
  const { people } = await court(2);
  const [hamlet, ophelia] = people;
  const [called, other] = [await newBot(hamlet, "yorick", "Yorick"), await newBot(hamlet, "ghost", "Ghost")];
  const closed = await channelOf([hamlet], "closet", { isPrivate: true });
  const opened = await channelOf([hamlet], "gallery", { isPrivate: true });
  const unshared = await channelOf([hamlet], "crypt", { isPrivate: true, hasSharedHistory: false });
  for (const { id } of [opened, unshared])
    success(
      await hamlet.call(updateChannel, {
        stream_id: id,
        can_subscribe_group: { new: { direct_members: [called.id], direct_subgroups: [] } },
      }),
    );
  const everywhere = { all_public_streams: true };
  const queues = [await called.register(["message"]), await called.register(["message"], [], everywhere)];
  const another = await other.register(["message"]);

  const { id } = success(await send(ophelia, "alas, @**Yorick**"));
  await send(ophelia, "@_**Yorick**, silently");
  for (const channelWithout of [closed, unshared])
    await sendToChannel(hamlet, channelWithout, { content: "@**Yorick**" });
  const shown = await sendToChannel(hamlet, opened, { content: "@**Yorick**" });
  const mark = await sendDirect(hamlet, [called, other]);

  const flagged = ["read", "mentioned"];
  const [first, second] = [await queues[0]?.nextOf("message"), await queues[0]?.nextOf("message")];
  expect([first, second]).toMatchObject([
    { message: { id }, flags: flagged },
    { message: { id: shown }, flags: flagged },
  ]);
  expect((await queues[0]?.nextOf("message"))?.message.id).toBe(mark);
  expect(await queues[1]?.nextOf("message")).toMatchObject({ message: { id }, flags: flagged });
  expect(await queues[1]?.nextOf("message")).toMatchObject({ flags: [] });
  expect(await queues[1]?.nextOf("message")).toMatchObject({ message: { id: shown }, flags: flagged });
  expect((await another.nextOf("message")).message.id).toBe(mark);
  expect(await flags(called, id)).toEqual([...flagged, "historical"]);
  expect(await flags(called, shown)).toEqual([...flagged, "historical"]);
});

test("a message a bot received because of a mention is not unread, and stays flagged while it mentions the bot", async () => {
  const { people } = await court(2);
  const [hamlet] = people;
  const bot = await newBot(hamlet, "yorick", "Yorick");
  const parts = ["message", "update_message_flags"];
  const queue = await bot.register(["message", "update_message_flags"], parts);
  const edit = async (message_id: number, content: string) =>
    success(await hamlet.call(updateMessage, { message_id, content }));

  const { id } = success(await send(hamlet, "alas, @**Yorick**"));
  const last = await sendDirect(hamlet, [bot]);

  const { unread_msgs } = (await bot.register([], parts)).state;
  expect((await queue.followedState(last)).unread_msgs).toEqual(unread_msgs);
  expect(unread_msgs?.count).toBe(1);
  await edit(id, "poor @**Yorick**");
  expect(await flags(bot, id)).toEqual(["read", "mentioned", "historical"]);
  await edit(id, "I knew him");
  expect(await flags(bot, id)).toEqual(["read", "historical"]);
});

test("silent mentions and mentions in code set no flags", async () => {
  const { people } = await court(2);
  const [hamlet, ophelia] = people;

  for (const content of ["@_**Ophelia**", "`@**Ophelia**`"])
    expect(await flags(ophelia, success(await send(hamlet, content)).id)).toEqual([]);
});

// spec 4.1: error STREAM_WILDCARD_MENTION_NOT_ALLOWED, error TOPIC_WILDCARD_MENTION_NOT_ALLOWED
test("mentioning everybody is limited to small channels, or to users with the permission", async () => {
  const { realm, people } = await court(16);
  const [hamlet, ophelia] = people;
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "closet" }], principals: [ophelia.id] }));

  for (const word of ["all", "everyone", "channel", "stream"])
    expect(await send(hamlet, `hear ye @**${word}**`)).toMatchObject({ code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED" });
  const { id } = success(await send(realm.admin, "hear ye @**all**"));

  expect(await flags(ophelia, id)).toEqual(["stream_wildcard_mentioned", "wildcard_mentioned"]);
  const few = await hamlet.call(sendMessage, { type: "channel", to: "closet", topic: "t", content: "@**all**" });
  expect(few.result).toBe("success");
});

test("mentioning a topic flags its participants", async () => {
  const { people } = await court(17);
  const [hamlet, ophelia, bystander, nodder] = people;
  if (!bystander || !nodder) throw new Error("a court of 17 has them");
  const present = success(await send(ophelia, "present", "quiet"));
  success(await nodder.call(addReaction, { message_id: present.id, emoji_name: "+1" }));

  const { id } = success(await send(hamlet, "@**topic** anybody?", "quiet"));
  await Promise.all(people.map((user) => send(user, "present", "busy")));

  expect(await flags(ophelia, id)).toEqual(["topic_wildcard_mentioned", "wildcard_mentioned"]);
  expect(await flags(nodder, id)).toEqual(["topic_wildcard_mentioned", "wildcard_mentioned"]);
  expect(await flags(bystander, id)).toEqual([]);
  expect(await send(hamlet, "@**topic** anybody?", "busy")).toMatchObject({
    code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
  });
});

test("a channel is linked for a sender who may read it, and stays text for one who may not", async () => {
  const { people } = await court(2);
  const [hamlet, ophelia] = people;
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "secret" }], invite_only: true }));
  const rendered = async (user: TestUser) => {
    const { id } = success(await send(user, "see #**secret** and #**secret>plan**"));
    return success(await ophelia.call(getMessage, { message_id: id })).message.content;
  };

  expect(await rendered(hamlet)).toContain('<a class="stream"');
  expect(await rendered(ophelia)).toBe("<p>see #<strong>secret</strong> and #<strong>secret&gt;plan</strong></p>");
});

test("counting a topic's participants stops early instead of reading all of it", async () => {
  const { realm, people } = await court(17);
  const [hamlet] = people;
  const { id } = success(await send(hamlet, "first", "long"));
  await sql`
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select m.realm_id, m.conversation_id, m.topic_id, m.sender_id, m.client_id, 'x', '<p>x</p>'
    from messages m, generate_series(1, 20000) where m.id = ${id}`.execute(realm.ctx.db);
  await Promise.all(people.map((user) => send(user, "present", "long")));

  const refused = await send(hamlet, "@**topic** hello", "long");
  const { rows } = await sql<{ "QUERY PLAN": string }>`
    explain (analyze, costs off, timing off, buffers) select few_topic_participants(topic_id, 16)
    from messages where id = ${id}`.execute(realm.ctx.db);

  expect(refused).toMatchObject({ code: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED" });
  const [, pages = "100000"] = /shared hit=(\d+)/.exec(rows.map((row) => row["QUERY PLAN"]).join("\n")) ?? [];
  // The topic takes several hundred pages.
  expect(Number(pages)).toBeLessThan(150);
});
