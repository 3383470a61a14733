import { expect, test } from "vitest";
import { newRealm } from "../../test/realm.ts";
import { channelOf, say, tell } from "../../test/talk.ts";

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

  const watch = await say(hamlet, channel, { topic: "watch", readBySender: true });
  const resolved = await say(ophelia, channel, { topic: "✔ flowers" });
  const mention = await say(ophelia, channel, { content: "@**hamlet** look" });
  const direct = await tell(ophelia, [hamlet]);
  // Everybody's last, whatever they are narrowed to.
  await say(ophelia, channel, { topic: "✔ watch", content: "@**hamlet** the end" });
  await say(ophelia, channel, { topic: "watch", content: "the end" });
  await tell(ophelia, [hamlet], { content: "the end" });

  const heard = await Promise.all(
    queues.map(async (queue) => {
      for (const ids: number[] = []; ;) {
        const { message } = await queue.nextOf("message");
        if (message.content.endsWith("the end")) return ids;
        ids.push(message.id);
      }
    }),
  );
  expect(heard).toEqual([
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
