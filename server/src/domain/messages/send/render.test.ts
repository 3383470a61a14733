import { addLinkifier } from "@skein/api/linkifiers.ts";
import { getMessage, renderMessage, sendMessage } from "@skein/api/messages.ts";
import { expect, test } from "vitest";
import { newRealm, success } from "../../../../test/realm.ts";
import { channelOf } from "../../../../test/actions.ts";

test("a preview renders what would be sent, and sends nothing", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const queue = await bob.register(["message"]);
  const content = `**hello** @**bob**`;

  const { rendered } = success(await ann.call(renderMessage, { content }));
  expect(await queue.all()).toEqual([]);

  const { id } = success(await ann.call(sendMessage, { type: "direct", to: [bob.id], content }));
  const { message } = success(await bob.call(getMessage, { message_id: id }));
  expect(message.content).toBe(rendered);
  expect(rendered).toContain("<strong>hello</strong>");
});

test("a preview links a private channel only for users who may read it", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  await channelOf([bob], "secret", { isPrivate: true });
  const preview = async (user: typeof ann) =>
    success(await user.call(renderMessage, { content: "#**secret** #**nowhere**" })).rendered;
  expect(await preview(ann)).toBe("<p>#<strong>secret</strong> #<strong>nowhere</strong></p>");
  expect(await preview(bob)).toContain('class="stream"');
});

test("a message that cannot be sent cannot be previewed", async () => {
  const { admin } = await newRealm();
  for (const content of ["", "  \n", "a\0b"])
    expect(await admin.call(renderMessage, { content })).toMatchObject({ result: "error", code: "BAD_REQUEST" });
});

// spec 2.1: topic_links
test("links in a topic come from linkifiers and URLs, in the event and afterwards", async () => {
  const realm = await newRealm();
  const ann = await realm.user("ann");
  const channel = await channelOf([ann], "bugs");
  success(
    await realm.admin.call(addLinkifier, {
      pattern: "#(?P<id>[0-9]+)",
      url_template: "https://bugs.example.org/{id}",
    }),
  );
  const queue = await ann.register(["message"]);
  const topic = "#12 and https://example.org/a";
  const { id } = success(await ann.call(sendMessage, { type: "channel", to: channel.id, topic, content: "hm" }));
  const again = success(await ann.call(sendMessage, { type: "channel", to: channel.id, topic, content: "yes" }));

  const expected = [
    { text: "#12", url: "https://bugs.example.org/12" },
    { text: "https://example.org/a", url: "https://example.org/a" },
  ];
  expect((await queue.nextOf("message")).message.topic_links).toEqual(expected);
  expect((await queue.nextOf("message")).message.topic_links).toEqual(expected);
  for (const message_id of [id, again.id])
    expect(success(await ann.call(getMessage, { message_id })).message.topic_links).toEqual(expected);
});
