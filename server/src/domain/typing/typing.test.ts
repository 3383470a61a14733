import { setEditTypingStatus, setTypingStatus } from "@skein/api/typing.ts";
import { expect, test } from "vitest";
import { chooseSettings } from "../../../test/choose-settings.ts";
import { newRealm, success } from "../../../test/realm.ts";
import { channelOf, say, tell } from "../../../test/talk.ts";

const kinds = ["typing", "typing_edit_message", "message"] as const;

// spec 6: typing, receives_typing_notifications
test("the parties of a direct message are told, and nobody else", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, laertes] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("laertes"),
  ];
  const queues = await Promise.all([hamlet, ophelia, laertes].map((user) => user.register([...kinds])));

  success(await hamlet.call(setTypingStatus, { op: "start", to: [ophelia.id] }));
  success(await hamlet.call(setTypingStatus, { op: "stop", type: "direct", to: [ophelia.id, hamlet.id] }));
  const mark = await tell(hamlet, [ophelia, laertes]);

  const sender = { user_id: hamlet.id, email: hamlet.email };
  const typing = {
    type: "typing",
    message_type: "direct",
    sender,
    recipients: [sender, { user_id: ophelia.id, email: ophelia.email }],
  };
  for (const queue of queues.slice(0, 2)) {
    expect(await queue.next()).toEqual({ ...typing, op: "start" });
    expect(await queue.next()).toEqual({ ...typing, op: "stop" });
  }
  expect(await queues[2]?.next()).toMatchObject({ type: "message", message: { id: mark } });
});

// spec 6: typing, receives_typing_notifications
test("subscribers of a channel are told whose client wants it, and who want it themselves", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, deaf] = [await realm.user("hamlet"), await realm.user("ophelia"), await realm.user("deaf")];
  const outsider = await realm.user("outsider");
  const channel = await channelOf([hamlet, ophelia, deaf], "elsinore");
  await chooseSettings(deaf, { receives_typing_notifications: false });
  const incapable = { client_capabilities: { notification_settings_null: true } };
  const queues = [
    await deaf.register([...kinds]),
    await ophelia.register([...kinds], [], incapable),
    await outsider.register([...kinds], [], { all_public_streams: true }),
  ];
  const told = await ophelia.register([...kinds]);

  success(
    await hamlet.call(setTypingStatus, { op: "start", type: "stream", stream_id: channel.id, topic: "general chat" }),
  );
  const mark = await say(hamlet, channel);

  const sender = { user_id: hamlet.id, email: hamlet.email };
  expect(await told.next()).toEqual({
    type: "typing",
    op: "start",
    message_type: "stream",
    sender,
    stream_id: channel.id,
    topic: "",
  });
  for (const queue of queues) expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("in a channel with more than a hundred subscribers nobody is told", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const crowd = await Promise.all(Array.from({ length: 100 }, (_, n) => realm.user(`courtier ${n}`)));
  const channel = await channelOf([hamlet, ...crowd], "elsinore");
  const queue = await hamlet.register([...kinds]);

  success(await hamlet.call(setTypingStatus, { op: "start", type: "channel", stream_id: channel.id, topic: "x" }));
  const mark = await say(hamlet, channel);

  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("who may not, or does not want to, tells nobody", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const stranger = (await newRealm()).admin;
  const hidden = await channelOf([realm.admin], "council", { isPrivate: true });
  const type = (form: Record<string, string>) => hamlet.request("POST", "/typing", { op: "start", ...form });
  const to = `[${realm.admin.id}]`;

  expect(await type({})).toMatchObject({ msg: "Missing 'to' argument" });
  expect(await type({ to: "[]" })).toMatchObject({ msg: "Empty 'to' list" });
  expect(await type({ to: `[${stranger.id}]` })).toMatchObject({ msg: `Invalid user ID ${stranger.id}` });
  expect(await type({ op: "pause", to })).toMatchObject({ msg: "Invalid op" });
  expect(await type({ type: "private", to })).toMatchObject({ msg: "Invalid type" });
  expect(await type({ type: "stream", topic: "x" })).toMatchObject({ msg: "Missing channel ID" });
  expect(await type({ type: "stream", stream_id: "1" })).toMatchObject({ msg: "Missing topic" });
  expect(await type({ type: "channel", stream_id: String(hidden.id), topic: "x" })).toMatchObject({
    msg: "Invalid channel ID",
  });
  await chooseSettings(hamlet, { send_private_typing_notifications: false, send_stream_typing_notifications: false });
  expect(await type({ to })).toMatchObject({ msg: "User has disabled typing notifications for direct messages" });
  expect(await type({ type: "channel", stream_id: "1", topic: "x" })).toMatchObject({
    msg: "User has disabled typing notifications for channel messages",
  });
});

// spec 6: typing_edit_message
test("those who have received a message are told that it is being edited", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const outsider = await realm.user("outsider");
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const [public_id, direct_id] = [await say(hamlet, channel, { topic: "ghosts" }), await tell(hamlet, [ophelia])];
  // The capability is about messages that are being written.
  const incapable = { client_capabilities: { notification_settings_null: true } };
  const queue = await ophelia.register([...kinds], [], incapable);
  const others = await outsider.register([...kinds]);

  success(await hamlet.call(setEditTypingStatus, { op: "start", message_id: public_id }));
  success(await hamlet.call(setEditTypingStatus, { op: "stop", message_id: direct_id }));
  const mark = await tell(hamlet, [outsider]);

  const event = { type: "typing_edit_message", sender_id: hamlet.id };
  expect(await queue.next()).toEqual({
    ...event,
    op: "start",
    message_id: public_id,
    recipient: { type: "channel", channel_id: channel.id, topic: "ghosts" },
  });
  expect(await queue.next()).toEqual({
    ...event,
    op: "stop",
    message_id: direct_id,
    recipient: { type: "direct", user_ids: [hamlet.id, ophelia.id] },
  });
  expect(await others.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("only the sender of a message edits it, while that is allowed", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const message_id = await tell(hamlet, [ophelia]);
  const type = (user: typeof hamlet) => user.call(setEditTypingStatus, { op: "start", message_id });
  const { db } = realm.ctx;

  expect(await type(ophelia)).toMatchObject({ msg: "You don't have permission to edit this message" });
  expect(await type(realm.admin)).toMatchObject({ msg: "Invalid message(s)" });
  await db
    .updateTable("messages")
    .set({ date_sent: new Date(Date.now() - 3_600_000) })
    .where("id", "=", message_id)
    .execute();
  expect(await type(hamlet)).toMatchObject({ msg: "The time limit for editing this message has passed" });
  await db.updateTable("realms").set({ allow_message_editing: false }).where("id", "=", realm.id).execute();
  expect(await type(hamlet)).toMatchObject({ msg: "Your organization has turned off message editing" });
});
