import { getMessages, matchNarrow, newestAnchor } from "@skein/api/fetch-messages.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";
import { channelOf, sendToChannel, sendDirect, type TestChannel } from "../../../../test/actions.ts";

type Asked = Parameters<typeof fetchPage>[1];

const fetchPage = async (user: TestUser, params: Parameters<typeof user.call<typeof getMessages>>[1]) =>
  success(await user.call(getMessages, params));

/** The ids around an anchor, and the response's fields about them. */
async function around(user: TestUser, params: Asked) {
  const { messages, anchor, found_anchor, found_oldest, found_newest } = await fetchPage(user, params);
  return { ids: messages.map((message) => message.id), anchor, found_anchor, found_oldest, found_newest };
}

async function sayMany(user: TestUser, channel: TestChannel, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push(await sendToChannel(user, channel));
  return ids;
}

test("a page holds the requested number of messages around the anchor, and reports when it reaches an end", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const ids = await sayMany(realm.admin, channel, 5);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = ids;
  const page = (params: Asked) => around(realm.admin, params);

  expect(await page({ anchor: String(third), num_before: 1, num_after: 1 })).toEqual({
    ids: [second, third, fourth],
    anchor: third,
    found_anchor: true,
    found_oldest: false,
    found_newest: false,
  });
  expect(await page({ anchor: String(third), num_before: 3, num_after: 3 })).toMatchObject({
    ids,
    found_oldest: true,
    found_newest: true,
  });
  expect(await page({ anchor: String(third), num_before: 0, num_after: 0 })).toEqual({
    ids: [third],
    anchor: third,
    found_anchor: true,
    found_oldest: false,
    found_newest: false,
  });
  expect(await page({ anchor: String(third), num_before: 1, num_after: 0, include_anchor: false })).toMatchObject({
    ids: [second],
    found_anchor: false,
  });
  expect(await page({ anchor: String(third), num_before: 0, num_after: 1, include_anchor: false })).toMatchObject({
    ids: [fourth],
    found_anchor: false,
  });
  expect(await page({ anchor: String(fifth + 1), num_before: 2, num_after: 2 })).toMatchObject({
    ids: [fourth, fifth],
    found_anchor: false,
    found_newest: true,
  });
  expect(await page({ anchor: "-7", num_before: 0, num_after: 1 })).toMatchObject({ ids: [first], anchor: 0 });
});

test("received messages are found beyond any number of messages that were not received", async () => {
  const realm = await newRealm();
  const stranger = await realm.user("stranger");
  const own = await channelOf([realm.admin], "elsinore");
  const others = await channelOf([stranger], "helsingor");
  const early = await sayMany(realm.admin, own, 4);
  await sayMany(stranger, others, 12);
  const late = await sayMany(realm.admin, own, 1);
  await sayMany(stranger, others, 4);
  const [, , third = 0, fourth = 0] = early;

  expect(await around(realm.admin, { anchor: "newest", num_before: 3, num_after: 0 })).toMatchObject({
    ids: [third, fourth, ...late],
    found_oldest: false,
  });
  expect(await around(realm.admin, { anchor: String(fourth), num_before: 0, num_after: 2 })).toMatchObject({
    ids: [fourth, ...late],
    found_newest: true,
  });
});

test("newest, oldest and an anchor past everything are numbers in the response", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  const [first = 0, , third = 0] = await sayMany(realm.admin, channel, 3);

  expect(await around(realm.admin, { anchor: "newest", num_before: 1, num_after: 5 })).toEqual({
    ids: [third],
    anchor: newestAnchor,
    found_anchor: false,
    found_oldest: false,
    found_newest: true,
  });
  expect(await around(realm.admin, { anchor: "oldest", num_before: 5, num_after: 1 })).toEqual({
    ids: [first],
    anchor: 0,
    found_anchor: false,
    found_oldest: true,
    found_newest: false,
  });
  const beyond = { anchor: `${newestAnchor}0`, num_before: 1, num_after: 0 };
  expect(await around(realm.admin, beyond)).toMatchObject({ ids: [third], anchor: newestAnchor });
});

test("the first unread message skips muted topics and channels; without any it is the newest", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const loud = await channelOf([hamlet, ophelia], "loud");
  const quiet = await channelOf([hamlet, ophelia], "quiet");
  const inQuiet = await sendToChannel(hamlet, quiet);
  const read = await sendToChannel(hamlet, loud);
  const muted = await sendToChannel(hamlet, loud, { topic: "noise" });
  const unread = await sendToChannel(hamlet, loud);
  await ophelia.request("POST", "/users/me/subscriptions/properties", {
    subscription_data: JSON.stringify([{ stream_id: quiet.id, property: "is_muted", value: true }]),
  });
  const mute = { stream_id: String(loud.id), topic: "noise", visibility_policy: "1" };
  expect(await ophelia.request("POST", "/user_topics", mute)).toMatchObject({ result: "success" });
  success(await ophelia.call(updateMessageFlags, { messages: [read], op: "add", flag: "read" }));

  expect(await around(ophelia, { anchor: "first_unread", num_before: 1, num_after: 0 })).toMatchObject({
    ids: [muted, unread],
    anchor: unread,
    found_anchor: true,
  });
  expect(await around(ophelia, { use_first_unread_anchor: true, num_before: 0, num_after: 0 })).toMatchObject({
    anchor: unread,
  });
  const narrow = [{ operator: "channel", operand: "QUIET" }];
  expect(await around(ophelia, { anchor: "first_unread", num_before: 0, num_after: 0, narrow })).toMatchObject({
    ids: [inQuiet],
  });
  const nothing = [{ operator: "sender", operand: ophelia.id }];
  expect(await around(ophelia, { anchor: "first_unread", num_before: 0, num_after: 0, narrow: nothing })).toMatchObject(
    { ids: [], anchor: newestAnchor, found_newest: true },
  );
});

test("messages can be requested by their ids, but not together with a range", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "elsinore");
  const [first = 0, second = 0] = await sayMany(hamlet, channel, 2);
  const secret = await sendDirect(hamlet, [realm.admin]);

  const listed = await around(ophelia, { message_ids: [second, secret, first, second] });
  expect(listed).toEqual({
    ids: [first, second],
    anchor: undefined,
    found_anchor: false,
    found_oldest: false,
    found_newest: false,
  });
  expect(await around(ophelia, { message_ids: [first], narrow: [["is", "dm"]] })).toMatchObject({ ids: [] });
  for (const other of [{ anchor: "newest" }, { num_before: 1 }, { use_first_unread_anchor: true }])
    expect(await ophelia.call(getMessages, { message_ids: [first], ...other })).toMatchObject({
      code: "BAD_REQUEST",
      parameters: "num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor",
    });
});

test("invalid requests are refused", async () => {
  const realm = await newRealm();
  const ask = (params: Asked) => realm.admin.call(getMessages, params);

  expect(await ask({ num_before: 1 })).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "anchor" });
  expect(await ask({ anchor: "latest", num_before: 1 })).toMatchObject({ msg: "Invalid anchor" });
  expect(await ask({ anchor: "0", num_before: 2500, num_after: 2501 })).toMatchObject({
    msg: "Too many messages requested (maximum 5000).",
  });
  expect(await ask({ message_ids: Array.from({ length: 5001 }, (_, n) => n) })).toMatchObject({
    msg: "Too many messages requested (maximum 5000).",
  });
  expect(await ask({ anchor: "1", num_before: 1, num_after: 1, include_anchor: false })).toMatchObject({
    msg: "The anchor can only be excluded at an end of the range",
  });
  expect(await realm.admin.request("GET", "/messages", { anchor: "newest", num_before: "-1" })).toMatchObject({
    code: "BAD_REQUEST",
  });
});

// spec 2.1: content, content_type, subject, avatar_url, flags
test("messages have the requested form", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const hidden = await realm.user("hidden");
  await realm.ctx.db.updateTable("users").set({ email_address_visibility: 4 }).where("id", "=", hidden.id).execute();
  const channel = await channelOf([hamlet, hidden], "elsinore");
  await sendToChannel(hamlet, channel, { topic: "", content: "*words*" });
  await sendToChannel(hidden, channel, { topic: "", content: "*words*" });
  const shown = async (params: object) =>
    (await fetchPage(hamlet, { anchor: "newest", num_before: 5, ...params })).messages.map(
      ({ content, content_type, subject, avatar_url, flags }) => ({
        content,
        content_type,
        subject,
        avatar_url,
        flags,
      }),
    );

  const [own, other] = await shown({});
  const avatar_url = `/avatar/${hamlet.id}?version=1`;
  expect(own).toMatchObject({ content_type: "text/html", subject: "general chat", avatar_url, flags: [] });
  expect(other?.avatar_url).toBe(`/avatar/${hidden.id}?version=1`);
  const [raw] = await shown({ apply_markdown: false, allow_empty_topic_name: true, client_gravatar: false });
  expect(raw).toMatchObject({ content: "*words*", content_type: "text/x-markdown", subject: "" });
  expect(raw?.avatar_url).toEqual(expect.any(String));
});

test("the combined feed holds received messages; a channel's history is found by naming the channel", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "elsinore");
  const early = await sendToChannel(hamlet, channel);
  success(await ophelia.call(subscribe, { subscriptions: [{ name: "elsinore" }] }));
  const late = await sendToChannel(hamlet, channel);
  const direct = await sendDirect(hamlet, [ophelia]);
  await sendDirect(hamlet, [realm.admin]);
  success(await ophelia.call(unsubscribe, { subscriptions: ["elsinore"] }));
  const missed = await sendToChannel(hamlet, channel);
  const page = { anchor: "newest", num_before: 50 };

  expect((await around(ophelia, page)).ids).toEqual([late, direct]);
  const { messages } = await fetchPage(ophelia, { ...page, narrow: [{ operator: "channel", operand: channel.id }] });
  expect(messages.map(({ id, flags }) => [id, flags])).toEqual([
    [early, ["read", "historical"]],
    [late, ["read"]],
    [missed, ["read", "historical"]],
  ]);
  const narrow = [{ operator: "channels", operand: "public" }];
  expect((await around(ophelia, { ...page, narrow })).ids).toEqual([early, late, missed]);
  expect((await around(ophelia, { ...page, narrow: [...narrow, { operator: "is", operand: "unread" }] })).ids).toEqual(
    [],
  );
});

test("protected history and private channels are closed to users who were not subscribed", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "crypt", { isPrivate: true, hasSharedHistory: false });
  await sendToChannel(hamlet, channel);
  const narrow = [{ operator: "channel", operand: "crypt" }];
  const page = { anchor: "newest", num_before: 50, narrow };

  const unknown = await ophelia.call(getMessages, { ...page, narrow: [{ operator: "channel", operand: "nowhere" }] });
  expect(unknown).toMatchObject({ result: "error", code: "BAD_NARROW", desc: "unknown channel" });
  expect(await ophelia.call(getMessages, page)).toEqual(unknown);
  expect((await around(realm.admin, page)).ids).toEqual([]);

  success(await hamlet.call(subscribe, { subscriptions: [{ name: "crypt" }], principals: [ophelia.id] }));
  const heard = await sendToChannel(hamlet, channel);
  expect((await around(ophelia, page)).ids).toContain(heard);
  success(await ophelia.call(unsubscribe, { subscriptions: ["crypt"] }));
  expect(await ophelia.call(getMessages, page)).toEqual(unknown);
  expect((await around(ophelia, { anchor: "newest", num_before: 50 })).ids).not.toContain(heard);
  expect((await around(ophelia, { message_ids: [heard] })).ids).toEqual([]);
});

test("nothing of another organization can be reached", async () => {
  const [one, two] = [await newRealm(), await newRealm()];
  const channel = await channelOf([one.admin], "elsinore");
  const id = await sendToChannel(one.admin, channel);

  expect((await around(two.admin, { message_ids: [id] })).ids).toEqual([]);
  expect((await around(two.admin, { anchor: "newest", num_before: 9, narrow: [["channels", "public"]] })).ids).toEqual(
    [],
  );
  const narrow = [{ operator: "channel", operand: channel.id }];
  expect(await two.admin.call(getMessages, { anchor: "newest", num_before: 9, narrow })).toMatchObject({
    code: "BAD_NARROW",
  });
});

test("a page takes one statement, and one more where a narrow names something", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "elsinore");
  await sendToChannel(realm.admin, channel);
  const node = realm.admin.on(1);
  const page = { anchor: "newest", num_before: 9 } as const;

  expect(await statementsOf(realm, () => node.call(getMessages, page))).toBe(1);
  const narrow = [["channel", "elsinore"] as [string, string]];
  expect(await statementsOf(realm, () => node.call(getMessages, { ...page, narrow }))).toBe(2);
});

test("a client can ask which of some messages match a narrow", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet, ophelia], "elsinore");
  const linked = await sendToChannel(hamlet, channel, { topic: "a <b>", content: "see https://example.com" });
  const plain = await sendToChannel(hamlet, channel);
  const strange = await sendDirect(hamlet, [realm.admin], { content: "https://example.com" });

  const { messages } = success(
    await ophelia.call(matchNarrow, {
      msg_ids: [plain, linked, strange],
      narrow: [{ operator: "has", operand: "link" }],
    }),
  );
  expect(Object.keys(messages)).toEqual([String(linked)]);
  expect(messages[String(linked)]).toMatchObject({
    match_content: expect.stringContaining("example.com"),
    match_subject: "a &lt;b&gt;",
  });
});

test("moved messages are found where they are now, by users who were sent them and users who may read them there", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const castle = await channelOf([realm.admin, ophelia], "castle");
  const garden = await channelOf([realm.admin, ophelia, hamlet], "garden");
  const [moved, stayed] = [await sendToChannel(realm.admin, castle), await sendToChannel(realm.admin, castle)];
  success(await realm.admin.call(updateMessage, { message_id: moved, stream_id: garden.id, topic: "weeds" }));
  const page = { anchor: "newest", num_before: 50 };
  const of = async (user: TestUser, narrow: Asked["narrow"]) =>
    (await around(user, { ...page, narrow })).ids.filter((id) => id === moved || id === stayed);

  expect(await of(ophelia, [])).toEqual([moved, stayed]);
  expect(await of(ophelia, [["is", "unread"]])).toEqual([moved, stayed]);
  expect(await of(ophelia, [["channel", "castle"]])).toEqual([stayed]);
  const weeds: Asked["narrow"] = [
    ["channel", "garden"],
    ["topic", "weeds"],
  ];
  expect(await of(ophelia, [...weeds, ["is", "unread"]])).toEqual([moved]);
  expect(await of(ophelia, [{ operator: "with", operand: moved }])).toEqual([moved]);
  expect(await of(hamlet, [])).toEqual([]);
  expect(await of(hamlet, weeds)).toEqual([moved]);
  expect(await of(hamlet, [...weeds, ["is", "unread"]])).toEqual([]);
  expect(await around(ophelia, { anchor: "first_unread", num_before: 0, num_after: 0, narrow: weeds })).toMatchObject({
    anchor: moved,
  });
  success(await ophelia.call(updateMessageFlags, { messages: [moved], op: "add", flag: "read" }));
  expect(await of(ophelia, [["is", "unread"]])).toEqual([stayed]);
});
