import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../test/realm.ts";

test("a direct message reaches its parties and nobody else", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia, polonius] = [
    await realm.user("hamlet"),
    await realm.user("ophelia"),
    await realm.user("polonius"),
  ];
  const queues = await Promise.all([hamlet, ophelia, polonius].map((user) => user.register(["message"])));

  const sent = success(await hamlet.call(sendMessage, { type: "direct", to: [ophelia.id], content: "Get thee" }));
  const mark = success(await hamlet.call(sendMessage, { type: "direct", to: [polonius.id], content: "mark" }));

  const [own, hers, his] = await Promise.all(queues.map((queue) => queue.nextOf("message")));
  expect(own?.message.id).toBe(sent.id);
  expect(hers?.message).toMatchObject({ id: sent.id, type: "private", content: "Get thee", subject: "" });
  expect(hers?.message.display_recipient).toEqual(
    [hamlet, ophelia].map(({ id, email, fullName }) => ({ id, email, full_name: fullName, is_mirror_dummy: false })),
  );
  expect(his?.message.id).toBe(mark.id);
});

test("both directions of a conversation share its id, and naming oneself changes nothing", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const send = async (from: typeof hamlet, to: number[]) =>
    success(await from.call(sendMessage, { type: "direct", to, content: "words" })).id;

  const ids = [
    await send(hamlet, [ophelia.id]),
    await send(ophelia, [hamlet.id]),
    await send(hamlet, [hamlet.id, ophelia.id]),
  ];

  const seen = await Promise.all(ids.map(async (message_id) => success(await hamlet.call(getMessage, { message_id }))));
  expect(new Set(seen.map(({ message }) => message.recipient_id)).size).toBe(1);
});
