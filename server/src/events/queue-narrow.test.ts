import { expect, test } from "vitest";
import { newRealm } from "../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../test/actions.ts";

test("a queue can be narrowed to a channel, a topic, a sender, and kinds of messages", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "Denmark");
  const narrows: [string, string][][] = [
    [["channel", "denmark"]],
    [
      ["stream", "Denmark"],
      ["topic", "WATCH"],
    ],
    [["sender", ophelia.email]],
    [["is", "dm"]],
    [["is", "private"]],
    [["is", "mentioned"]],
    [["is", "resolved"]],
    [
      ["is", "unread"],
      ["channel", "Denmark"],
    ],
  ];
  const queues = await Promise.all(narrows.map((narrow) => hamlet.register(["message"], [], { narrow })));

  const watch = await sendToChannel(hamlet, channel, { topic: "watch", readBySender: true });
  const resolved = await sendToChannel(ophelia, channel, { topic: "✔ flowers" });
  const mention = await sendToChannel(ophelia, channel, { content: "@**hamlet** look" });
  const direct = await sendDirect(ophelia, [hamlet]);
  // Each queue gets one of these as its last event, whatever its narrow.
  await sendToChannel(ophelia, channel, { topic: "✔ watch", content: "@**hamlet** the end" });
  await sendToChannel(ophelia, channel, { topic: "watch", content: "the end" });
  await sendDirect(ophelia, [hamlet], { content: "the end" });

  const received = await Promise.all(
    queues.map(async (queue) => {
      for (const ids: number[] = []; ;) {
        const { message } = await queue.nextOf("message");
        if (message.content.endsWith("the end")) return ids;
        ids.push(message.id);
      }
    }),
  );
  expect(received).toEqual([
    [watch, resolved, mention],
    [watch],
    [resolved, mention, direct],
    [direct],
    [direct],
    [mention],
    [resolved],
    [resolved, mention],
  ]);
});

test.each([
  [["near", "5"], "Operator near not supported."],
  [["has", "link"], "Operator has not supported."],
  [["is", "followed"], "Operand followed not supported."],
  [["is", "muted"], "Operand muted not supported."],
])("a queue cannot be narrowed to %j", async (term, msg) => {
  const realm = await newRealm();

  const answer = await realm.admin.request("POST", "/register", { narrow: JSON.stringify([term]) });

  expect(answer).toEqual({ result: "error", msg, code: "BAD_REQUEST" });
});
