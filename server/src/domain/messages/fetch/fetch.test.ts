import { getMessage } from "@skein/api/messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const refusal = { result: "error", msg: "Invalid message(s)", code: "BAD_REQUEST" };

// spec 2.1: type, sender_id, sender_email, sender_full_name, sender_realm_str, client, content, content_type, display_recipient, recipient_id, stream_id, subject, is_me_message, timestamp, avatar_url, flags, reactions, submessages, id; 4.9: message_id, message, raw_content
test("a channel message has its place, its sender and the reader's flags", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const id = await sendToChannel(hamlet, channel, { topic: "ghosts", content: "who is **there**" });

  const answer = success(await ophelia.call(getMessage, { message_id: id }));

  expect(answer.raw_content).toBe("who is **there**");
  expect(answer.message).toEqual({
    id,
    type: "stream",
    sender_id: hamlet.id,
    sender_email: hamlet.email,
    sender_full_name: "hamlet",
    sender_realm_str: expect.any(String),
    client: expect.any(String),
    content: expect.stringContaining("there"),
    content_type: "text/html",
    display_recipient: "elsinore",
    recipient_id: channel.id,
    stream_id: channel.id,
    subject: "ghosts",
    topic_links: [],
    is_me_message: false,
    timestamp: expect.any(Number),
    reactions: [],
    submessages: [],
    avatar_url: `/avatar/${hamlet.id}?version=1`,
    flags: [],
  });
  expect(Math.abs(answer.message.timestamp - Date.now() / 1000)).toBeLessThan(60);
});

// spec 2.1: display_recipient, subject
test("a direct message names all participants, the reader included, and has no topic", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const id = await sendDirect(hamlet, [ophelia], { content: "/me waves" });

  const message = await messageFor(ophelia, id);

  expect(message).toMatchObject({ type: "private", subject: "", topic_links: [], is_me_message: true, flags: [] });
  expect(message).not.toHaveProperty("stream_id");
  expect(message.display_recipient).toEqual([
    { id: hamlet.id, email: hamlet.email, full_name: "hamlet", is_mirror_dummy: false },
    { id: ophelia.id, email: ophelia.email, full_name: "ophelia", is_mirror_dummy: false },
  ]);
});

// spec 4.9: apply_markdown, allow_empty_topic_name
test("the reader chooses between HTML and Markdown, and how an empty topic is shown", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const id = await sendToChannel(realm.admin, channel, { topic: "", content: "*plain* <text>" });
  const shown = async (params: object) =>
    success(await realm.admin.call(getMessage, { message_id: id, ...params })).message;

  expect(await shown({ apply_markdown: false })).toMatchObject({
    content: "*plain* <text>",
    content_type: "text/x-markdown",
    subject: "general chat",
  });
  expect(await shown({ allow_empty_topic_name: true })).toMatchObject({ content_type: "text/html", subject: "" });
});

test("a user with a hidden e-mail address is shown with a placeholder and an avatar from this server", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  await realm.ctx.db.updateTable("users").set({ email_address_visibility: 4 }).where("id", "=", hamlet.id).execute();
  const id = await sendDirect(hamlet, [ophelia]);

  const message = await messageFor(ophelia, id);

  const standIn = `user${hamlet.id}@${realm.host}`;
  expect(message).toMatchObject({ sender_email: standIn, avatar_url: expect.stringContaining(`/avatar/${hamlet.id}`) });
  expect(message.display_recipient).toContainEqual(expect.objectContaining({ id: hamlet.id, email: standIn }));
});

// spec 4.9: error BAD_REQUEST
test("a message the user may not see is refused as if it did not exist", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, guest] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("guest", { role: 600 }),
  ];
  const open = await channelOf([hamlet], "open");
  const secret = await channelOf([hamlet], "secret", { isPrivate: true });
  const [inOpen, inSecret] = [await sendToChannel(hamlet, open), await sendToChannel(hamlet, secret)];
  const direct = await sendDirect(hamlet, [ophelia]);
  const ask = (user: typeof hamlet, id: number | string) => user.request("GET", `/messages/${id}`);

  expect(await ask(ophelia, inOpen)).toMatchObject({ result: "success" });
  for (const id of [999_999_999, "9007199254740993", "99999999999999999999999", 0, inSecret])
    expect(await ask(ophelia, id)).toEqual(refusal);
  expect(await ask(realm.admin, inSecret)).toEqual(refusal);
  expect(await ask(realm.admin, direct)).toEqual(refusal);
  expect(await ask(guest, inOpen)).toEqual(refusal);
});

test("messages of another organization do not exist", async () => {
  const [ours, theirs] = [await newRealm(), await newRealm()];
  const channel = await channelOf([theirs.admin], "elsinore");
  const id = await sendToChannel(theirs.admin, channel);

  expect(await ours.admin.call(getMessage, { message_id: id })).toEqual(refusal);
});

test("with protected history only users who were sent a message see it, and only while they are subscribed", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "secret", { isPrivate: true, hasSharedHistory: false });
  const before = await sendToChannel(hamlet, channel);
  success(await hamlet.call(subscribe, { subscriptions: [{ name: channel.name }], principals: [ophelia.id] }));
  const after = await sendToChannel(hamlet, channel);

  expect(await ophelia.call(getMessage, { message_id: before })).toEqual(refusal);
  expect(await flagsFor(ophelia, after)).toEqual([]);

  success(await ophelia.call(unsubscribe, { subscriptions: [channel.name] }));

  expect(await ophelia.call(getMessage, { message_id: after })).toEqual(refusal);
});

test("with shared history a new subscriber of a private channel sees earlier messages", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "secret", { isPrivate: true });
  const before = await sendToChannel(hamlet, channel);

  success(await hamlet.call(subscribe, { subscriptions: [{ name: channel.name }], principals: [ophelia.id] }));

  expect(await flagsFor(ophelia, before)).toEqual(["read", "historical"]);
});

test("fetching one message takes one round trip to the database", async () => {
  const realm = await newRealm();
  const id = await sendDirect(realm.admin, [realm.admin]);

  const costs = await statementsOf(realm, () => realm.admin.on(1).call(getMessage, { message_id: id }));

  expect(costs).toBe(1);
});
