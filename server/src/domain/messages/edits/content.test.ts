import { addAlertWords } from "@skein/api/alert-words.ts";
import { archiveChannel } from "@skein/api/channels.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, flagsFor, messageFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const edit = (user: TestUser, message_id: number, content: string) => user.call(updateMessage, { message_id, content });
const historyOf = async (user: TestUser, message_id: number, form = {}) =>
  success(await user.call(getMessageHistory, { message_id, ...form })).message_history;
const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });
const age = (realm: TestRealm, id: number, seconds: number) =>
  sql`update messages set date_sent = date_sent - make_interval(secs => ${seconds}) where id = ${id}`.execute(
    realm.ctx.db,
  );

// spec 2.1: last_edit_timestamp, edit_history, user_id, timestamp, prev_content, prev_rendered_content
// spec 6: update_message
test("readers of a message receive the new text, and the message keeps the old one", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const others = [await realm.user("stranger"), await realm.user("guest", { role: 600 }), realm.admin];
  const channel = await channelOf([hamlet, friend], "closet", { isPrivate: true });
  const id = await sendToChannel(hamlet, channel, { topic: "talk", content: "one" });
  const queue = await friend.register(["update_message"]);
  const deaf = await Promise.all(
    [...others, (await newRealm()).admin].map((user) => user.register(["update_message"])),
  );

  expect(success(await edit(hamlet, id, "**two**"))).toEqual({ result: "success", msg: "", detached_uploads: [] });
  success(await edit(hamlet, id, "/me three"));

  const common = {
    type: "update_message",
    user_id: hamlet.id,
    rendering_only: false,
    message_id: id,
    message_ids: [id],
    flags: [],
    edit_timestamp: expect.any(Number),
    stream_id: channel.id,
    stream_name: "closet",
  };
  expect(await queue.next()).toEqual({
    ...common,
    orig_content: "one",
    orig_rendered_content: "<p>one</p>",
    content: "**two**",
    rendered_content: "<p><strong>two</strong></p>",
    is_me_message: false,
  });
  expect(await queue.next()).toMatchObject({ ...common, content: "/me three", is_me_message: true });
  expect(await messageFor(friend, id)).toMatchObject({
    content: "<p>/me three</p>",
    is_me_message: true,
    last_edit_timestamp: expect.any(Number),
    edit_history: [
      { user_id: hamlet.id, timestamp: expect.any(Number), prev_content: "**two**" },
      {
        user_id: hamlet.id,
        timestamp: expect.any(Number),
        prev_content: "one",
        prev_rendered_content: "<p>one</p>",
      },
    ],
  });
  expect(await messageFor(friend, id)).not.toHaveProperty("last_moved_timestamp");
  for (const user of others) expect(await edit(user, id, "x")).toEqual(refusal("Invalid message(s)"));
  for (const silent of deaf) expect(await silent.all()).toEqual([]);
});

test("only the sender may edit, while the organization allows it, with a few seconds of grace", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const channel = await channelOf([hamlet, friend], "court");
  const id = await sendToChannel(hamlet, channel);
  const old = await sendDirect(hamlet, [friend]);

  expect(await edit(friend, id, "x")).toEqual(refusal("You don't have permission to edit this message"));
  expect(await edit(realm.admin, id, "x")).toEqual(refusal("You don't have permission to edit this message"));
  await age(realm, old, 615);
  success(await edit(hamlet, old, "in the last moment"));
  await age(realm, old, 10);
  expect(await edit(hamlet, old, "x")).toEqual(refusal("The time limit for editing this message has past"));
  success(await realm.admin.call(updateRealm, { allow_message_editing: false }));
  expect(await edit(hamlet, id, "x")).toEqual(refusal("Your organization has turned off message editing"));
});

test("contradictory requests are refused", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel, { topic: "talk" });
  const direct = await sendDirect(realm.admin, [realm.admin]);
  const poll = await sendToChannel(realm.admin, channel, { content: "/poll Lunch?" });
  const attempt = (message_id: number, change: object) => realm.admin.call(updateMessage, { message_id, ...change });

  expect(await attempt(id, {})).toEqual(refusal("Nothing to change"));
  expect(await attempt(id, { topic: "talk" })).toEqual(refusal("Nothing to change"));
  expect(await attempt(id, { topic: "TALK" })).toEqual(refusal("Nothing to change"));
  expect(await attempt(id, { stream_id: channel.id })).toEqual(refusal("Nothing to change"));
  expect(await attempt(id, { content: "x", propagate_mode: "change_all" })).toEqual(
    refusal("Invalid propagate_mode without topic edit"),
  );
  expect(await attempt(id, { content: "x", stream_id: channel.id })).toEqual(
    refusal("Cannot change message content while changing channel"),
  );
  expect(await attempt(direct, { topic: "x" })).toEqual(refusal("Direct messages cannot have topics."));
  expect(await attempt(direct, { stream_id: channel.id })).toEqual(
    refusal("Direct messages cannot be moved to channels."),
  );
  expect(await attempt(poll, { content: "x" })).toEqual(refusal("Widgets cannot be edited."));
  expect(await attempt(id, { topic: "✔ " })).toEqual(refusal("General chat cannot be marked as resolved"));
  expect(await attempt(999_999_999, { content: "x" })).toEqual(refusal("Invalid message(s)"));
  success(await attempt(id, { content: " " }));
  expect(await messageFor(realm.admin, id)).toMatchObject({ content: "<p>(deleted)</p>" });
  success(await realm.admin.call(archiveChannel, { stream_id: channel.id }));
  expect(await attempt(id, { content: "x" })).toEqual(refusal("Invalid message(s)"));
});

// spec 3.2: mentioned, has_alert_word, stream_wildcard_mentioned, topic_wildcard_mentioned
test("mentions and alert words of the new text replace the flags of the old one, and the unread count follows", async () => {
  const realm = await newRealm();
  const [hamlet, friend, outsider] = [await realm.user("hamlet"), await realm.user("friend"), await realm.user("out")];
  const channel = await channelOf([hamlet, friend], "court");
  success(await friend.call(addAlertWords, { alert_words: ["crown"] }));
  const id = await sendToChannel(hamlet, channel, { content: `@**${friend.fullName}**` });
  const direct = await sendDirect(hamlet, [friend]);
  const fetch = ["update_message_flags", "message", "subscription"];
  const queue = await friend.register(undefined, fetch);
  expect(queue.state.unread_msgs?.mentions).toEqual([id]);

  success(await edit(hamlet, id, `the crown, @**${outsider.fullName}**`));
  expect((await queue.nextOf("update_message")).flags).toEqual(["has_alert_word"]);
  expect(await flagsFor(friend, id)).toEqual(["has_alert_word"]);
  expect(await flagsFor(outsider, id)).toEqual(["read", "historical"]);
  success(await edit(hamlet, id, "@**all**"));
  expect(await flagsFor(friend, id)).toEqual(["stream_wildcard_mentioned", "wildcard_mentioned"]);
  const last = await friend.register(undefined, fetch);
  success(await edit(hamlet, id, "@**topic**"));
  success(await edit(hamlet, direct, `now @**${friend.fullName}**`));
  const end = await sendToChannel(hamlet, channel);

  expect(await flagsFor(hamlet, id)).toEqual(["topic_wildcard_mentioned", "wildcard_mentioned"]);
  const fresh = (await friend.register(undefined, fetch)).state.unread_msgs;
  expect(fresh?.mentions).toEqual([direct]);
  expect((await last.followedState(end)).unread_msgs).toEqual(fresh);
});

test("an edit cannot mention anybody its editor may not mention", async () => {
  const realm = await newRealm();
  const people = await Promise.all(Array.from({ length: 17 }, (_, n) => realm.user(`p${n}`)));
  const [first = realm.admin] = people;
  const channel = await channelOf([first, ...people.slice(1)], "court");
  const id = await sendToChannel(first, channel);

  expect(await edit(first, id, "@**all**")).toMatchObject({ code: "STREAM_WILDCARD_MENTION_NOT_ALLOWED" });
  expect((await messageFor(first, id)).content).toBe("<p>words</p>");
});

// spec 4.16: message_id, allow_empty_topic_name, message_history, topic, content, rendered_content, timestamp, user_id, prev_content, prev_rendered_content, content_html_diff, prev_topic, stream, prev_stream, error "Invalid message(s)"
test("the history contains every state of a message, oldest first", async () => {
  const realm = await newRealm();
  const [hamlet, friend, stranger] = [await realm.user("h"), await realm.user("friend"), await realm.user("stranger")];
  const channel = await channelOf([hamlet, friend], "closet", { isPrivate: true });
  const other = await channelOf([hamlet, friend], "other");
  const id = await sendToChannel(hamlet, channel, { topic: "", content: "**one**" });
  const sent = {
    topic: "general chat",
    content: "**one**",
    rendered_content: "<p><strong>one</strong></p>",
    timestamp: expect.any(Number),
    user_id: hamlet.id,
  };
  expect(await historyOf(friend, id)).toEqual([sent]);

  success(await edit(hamlet, id, "two"));
  success(await friend.call(updateMessage, { message_id: id, topic: "named", propagate_mode: "change_all" }));
  success(await friend.call(updateMessage, { message_id: id, stream_id: other.id }));
  success(await hamlet.call(updateMessage, { message_id: id, topic: "later", content: "three" }));

  const second = { content: "two", rendered_content: "<p>two</p>", timestamp: expect.any(Number) };
  expect(await historyOf(friend, id)).toEqual([
    sent,
    {
      ...second,
      topic: "general chat",
      user_id: hamlet.id,
      prev_content: "**one**",
      prev_rendered_content: "<p><strong>one</strong></p>",
      content_html_diff: expect.stringContaining("highlight_text_inserted"),
    },
    { ...second, topic: "named", user_id: friend.id, prev_topic: "general chat" },
    { ...second, topic: "named", user_id: friend.id, prev_stream: channel.id, stream: other.id },
    {
      topic: "later",
      content: "three",
      rendered_content: "<p>three</p>",
      timestamp: expect.any(Number),
      user_id: hamlet.id,
      prev_topic: "named",
      prev_content: "two",
      prev_rendered_content: "<p>two</p>",
      content_html_diff: expect.any(String),
    },
  ]);
  expect((await historyOf(friend, id, { allow_empty_topic_name: true }))[0]).toMatchObject({ topic: "" });
  expect((await messageFor(friend, id)).edit_history).toHaveLength(4);
  const direct = await sendDirect(hamlet, [friend]);
  expect(await historyOf(friend, direct)).toMatchObject([{ topic: "" }]);
  for (const message_id of [direct, 999_999_999])
    expect(await stranger.call(getMessageHistory, { message_id })).toEqual(refusal("Invalid message(s)"));
});

// spec 4.16: edit history disabled
test("an organization shows the history of all edits, of moves only, or of none", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel, { content: "one" });
  success(await edit(realm.admin, id, "two"));
  success(await realm.admin.call(updateMessage, { message_id: id, topic: "elsewhere" }));
  const show = (policy: "moves" | "none") =>
    realm.admin.call(updateRealm, { message_edit_history_visibility_policy: policy });

  success(await show("moves"));
  const entry = { user_id: realm.admin.id, timestamp: expect.any(Number), prev_topic: "talk", topic: "elsewhere" };
  expect((await messageFor(realm.admin, id)).edit_history).toEqual([entry]);
  expect(await historyOf(realm.admin, id)).toMatchObject([
    { topic: "talk", content: "two" },
    { topic: "elsewhere", content: "two", prev_topic: "talk" },
  ]);
  success(await show("none"));
  const message = await messageFor(realm.admin, id);
  expect(message).not.toHaveProperty("edit_history");
  expect(message).toMatchObject({ last_edit_timestamp: expect.any(Number), last_moved_timestamp: expect.any(Number) });
  expect(await realm.admin.call(getMessageHistory, { message_id: id })).toEqual(
    refusal("Message edit history is disabled in this organization"),
  );
});

test("concurrent edits on two nodes build on each other", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const id = await sendToChannel(realm.admin, channel, { content: "0" });
  const queue = await realm.admin.register(["update_message"]);

  const texts = Array.from({ length: 8 }, (_, n) => String(n + 1));
  await Promise.all(
    texts.map((content, n) => realm.admin.on(n).call(updateMessage, { message_id: id, content }).then(success)),
  );

  const steps = [];
  for (const _ of texts) steps.push(await queue.nextOf("update_message"));
  expect(new Set(steps.map((event) => event.content))).toEqual(new Set(texts));
  const snapshots = await historyOf(realm.admin, id);
  expect(snapshots.map((snapshot) => snapshot.content)).toEqual(["0", ...steps.map((event) => event.content)]);
  expect(steps.map((event) => event.orig_content)).toEqual(snapshots.slice(0, -1).map((snapshot) => snapshot.content));
});

test("an event reveals no more of the earlier text than the history does", async () => {
  const realm = await newRealm();
  const [hamlet, friend] = [await realm.user("hamlet"), await realm.user("friend")];
  const channel = await channelOf([hamlet, friend], "closet");
  const id = await sendToChannel(hamlet, channel, { content: "one" });
  const queue = await friend.register(["update_message"]);
  const allow = async (message_edit_history_visibility_policy: "all" | "moves" | "none") =>
    success(await realm.admin.call(updateRealm, { message_edit_history_visibility_policy }));

  for (const policy of ["moves", "none"] as const) {
    await allow(policy);
    success(await edit(hamlet, id, `now ${policy}`));
    const event = await queue.nextOf("update_message");
    expect(event.content).toBe(`now ${policy}`);
    expect(Object.keys(event).filter((field) => field.startsWith("orig"))).toEqual([]);
    success(await hamlet.call(updateMessage, { message_id: id, content: `moved ${policy}`, topic: policy }));
    const move = await queue.nextOf("update_message");
    expect(Object.keys(move).filter((field) => field.startsWith("orig"))).toEqual(["orig_subject"]);
  }
  await allow("all");
  success(await edit(hamlet, id, "open"));
  expect(await queue.nextOf("update_message")).toMatchObject({ orig_content: "moved none" });
});
