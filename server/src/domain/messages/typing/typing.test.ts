import { setEditTypingStatus, setTypingStatus } from "@skein/api/typing.ts";
import { expect, test } from "vitest";
import { chooseSettings } from "../../../../test/choose-settings.ts";
import { newRealm, success } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const kinds = ["typing", "typing_edit_message", "message"] as const;

// spec 6: typing, receives_typing_notifications
test("only the participants of a direct message receive typing events", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, laertes] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("laertes"),
  ];
  const queues = await Promise.all([hamlet, ophelia, laertes].map((user) => user.register([...kinds])));

  success(await hamlet.call(setTypingStatus, { op: "start", to: [ophelia.id] }));
  success(await hamlet.call(setTypingStatus, { op: "stop", type: "direct", to: [ophelia.id, hamlet.id] }));
  const mark = await sendDirect(hamlet, [ophelia, laertes]);

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
test("subscribers receive typing events if their client supports them and their settings allow it", async () => {
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
  const receiving = await ophelia.register([...kinds]);

  success(
    await hamlet.call(setTypingStatus, { op: "start", type: "stream", stream_id: channel.id, topic: "general chat" }),
  );
  const mark = await sendToChannel(hamlet, channel);

  const sender = { user_id: hamlet.id, email: hamlet.email };
  expect(await receiving.next()).toEqual({
    type: "typing",
    op: "start",
    message_type: "stream",
    sender,
    stream_id: channel.id,
    topic: "",
  });
  for (const queue of queues) expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("a channel with more than a hundred subscribers gets no typing events", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const crowd = await Promise.all(Array.from({ length: 100 }, (_, n) => realm.user(`courtier ${n}`)));
  const channel = await channelOf([hamlet, ...crowd], "elsinore");
  const queue = await hamlet.register([...kinds]);

  success(await hamlet.call(setTypingStatus, { op: "start", type: "channel", stream_id: channel.id, topic: "x" }));
  const mark = await sendToChannel(hamlet, channel);

  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("a direct message to more than a hundred people gets no typing events, and thousands of recipients are refused", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const crowd = await Promise.all(Array.from({ length: 100 }, (_, n) => realm.user(`courtier ${n}`)));
  const [first, ...others] = crowd;
  if (!first) throw new Error("there is a crowd");
  const queue = await first.register([...kinds]);
  const type = (to: number[]) => hamlet.call(setTypingStatus, { op: "start", type: "direct", to });

  success(await type(crowd.map(({ id }) => id)));
  success(await type(others.map(({ id }) => id)));
  success(await type([first.id]));

  expect(await queue.next()).toMatchObject({
    type: "typing",
    recipients: [{ user_id: hamlet.id }, { user_id: first.id }],
  });
  const thousands = JSON.stringify(Array.from({ length: 1001 }, (_, n) => n + 1));
  const refused = await hamlet.request("POST", "/typing", { op: "start", type: "direct", to: thousands });
  expect(refused).toMatchObject({ result: "error", msg: expect.stringContaining("to") });
});

test("a user who may not send typing events, or has disabled them, sends none", async () => {
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
test("the recipients of a message receive an event when it is being edited", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const outsider = await realm.user("outsider");
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const [public_id, direct_id] = [
    await sendToChannel(hamlet, channel, { topic: "ghosts" }),
    await sendDirect(hamlet, [ophelia]),
  ];
  // The capability is only about messages that are being written.
  const incapable = { client_capabilities: { notification_settings_null: true } };
  const queue = await ophelia.register([...kinds], [], incapable);
  const others = await outsider.register([...kinds]);

  success(await hamlet.call(setEditTypingStatus, { op: "start", message_id: public_id }));
  success(await hamlet.call(setEditTypingStatus, { op: "stop", message_id: direct_id }));
  const mark = await sendDirect(hamlet, [outsider]);

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

test("only the sender of a message sends editing events, and only while editing is allowed", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const message_id = await sendDirect(hamlet, [ophelia]);
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
