import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { addSubmessage, type WidgetContent } from "@skein/api/submessages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser, type TestQueue } from "../../../../test/realm.ts";
import { channelOf, sendToChannel } from "../../../../test/actions.ts";

const poll = "/poll Lunch?\n- soup\n- bread";
const vote = JSON.stringify({ type: "vote", key: "canned,0", vote: 1 });

const send = async (user: TestUser, to: number[], content: string): Promise<number> =>
  success(await user.call(sendMessage, { type: "direct", to, content })).id;

const add = (user: TestUser, message_id: number, content: string) =>
  user.call(addSubmessage, { message_id, msg_type: "widget", content });

const partsOf = async (user: TestUser, message_id: number) =>
  success(await user.call(getMessage, { message_id })).message.submessages;

// spec 2.1: submessages, msg_type, content, message_id, sender_id, id
test("a poll starts with its question and options, in the event and later", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["message"]);

  const id = await send(realm.admin, [hamlet.id], poll);

  const parts = [
    {
      id: expect.any(Number),
      message_id: id,
      sender_id: realm.admin.id,
      msg_type: "widget",
      content: '{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["soup","bread"]}}',
    },
  ];
  const { message } = await queue.nextOf("message");
  expect(message.submessages).toEqual(parts);
  expect(await partsOf(hamlet, id)).toEqual(message.submessages);
});

const choices: WidgetContent = {
  widget_type: "zform",
  extra_data: {
    type: "choices",
    heading: "Deploy?",
    choices: [{ type: "multiple_choice", short_name: "Yes", long_name: "Deploy now", reply: "deploy yes" }],
  },
};

test("a given widget becomes the first submessage, in the event and later", async () => {
  const realm = await newRealm();
  const [hamlet, channel] = [await realm.user("hamlet"), await channelOf([realm.admin], "deployments")];
  const bot = await realm.user("deployer");
  const direct = await hamlet.register(["message"]);
  const inChannel = await realm.admin.register(["message"]);

  const form = { content: "Choose", widget_content: choices };
  const { id } = success(await bot.call(sendMessage, { ...form, type: "direct", to: [hamlet.id] }));
  success(await bot.call(sendMessage, { ...form, type: "channel", to: channel.id, topic: "release" }));

  for (const queue of [direct, inChannel]) {
    const { message } = await queue.nextOf("message");
    expect(message.submessages.map(({ content }) => JSON.parse(content))).toEqual([choices]);
  }
  expect((await partsOf(hamlet, id)).map(({ content }) => JSON.parse(content))).toEqual([choices]);
});

test.each([
  ["no json", "widget_content is not valid JSON"],
  ["[]", "widget_content is not a dict"],
  [JSON.stringify({ widget_type: "bomb", extra_data: {} }), 'Invalid widget_content["widget_type"]'],
  [JSON.stringify({ widget_type: "zform" }), 'widget_content["extra_data"] field is missing'],
  [
    JSON.stringify({ widget_type: "zform", extra_data: { type: "choices", heading: "", choices: [{}] } }),
    'widget_content["extra_data"]["choices"][0]["short_name"] field is missing',
  ],
  [
    JSON.stringify({
      ...choices,
      extra_data: { ...choices.extra_data, choices: Array.from({ length: 101 }, () => ({})) },
    }),
    'widget_content["extra_data"]["choices"] is too long (limit: 100 elements)',
  ],
])("widget content %s is refused: %s", async (widget_content, msg) => {
  const { admin } = await newRealm();
  const form = { type: "direct", to: `[${admin.id}]`, content: "Choose", widget_content };

  expect(await admin.request("POST", "/messages", form)).toEqual({ result: "error", code: "BAD_REQUEST", msg });
});

test("an ordinary message has no submessages", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);

  const id = await send(realm.admin, [realm.admin.id], "see /poll");

  expect((await queue.nextOf("message")).message.submessages).toEqual([]);
  expect(await partsOf(realm.admin, id)).toEqual([]);
});

test("everybody who has the poll receives the votes in order, and nobody else does", async () => {
  const realm = await newRealm();
  const [hamlet, other] = [await realm.user("hamlet"), await realm.user("other")];
  const id = await send(realm.admin, [hamlet.id], poll);
  const [mine, theirs] = [await realm.admin.register(["submessage"]), await other.register(["submessage", "message"])];

  success(await add(hamlet, id, vote));
  await send(other, [other.id], "over");

  const [, part] = await partsOf(realm.admin, id);
  expect(part).toEqual({
    id: expect.any(Number),
    message_id: id,
    sender_id: hamlet.id,
    msg_type: "widget",
    content: vote,
  });
  const { id: submessage_id, ...rest } = part ?? { id: 0 };
  expect(await mine.next()).toEqual({ type: "submessage", submessage_id, ...rest });
  expect(await theirs.next()).toMatchObject({ type: "message" });
});

/** Whether a vote arrives before the message that ends the test. */
async function receivesVote(queue: TestQueue): Promise<boolean> {
  for (let received = false; ;) {
    const event = await queue.next();
    received ||= event.type === "submessage";
    if (event.type === "message" && event.message.content === "over") return received;
  }
}

test.each([
  ["a public channel", {}, { later: true, former: true, formerGuest: false }],
  ["a private channel with shared history", { isPrivate: true }, { later: true, former: false, formerGuest: false }],
  [
    "a private channel with protected history",
    { isPrivate: true, hasSharedHistory: false },
    { later: false, former: false, formerGuest: false },
  ],
])("in %s only users who may see the poll receive votes", async (_, options, expected) => {
  const realm = await newRealm();
  const people = {
    later: await realm.user("later"),
    former: await realm.user("former"),
    formerGuest: await realm.user("guest", { role: 600 }),
  };
  const channel = await channelOf([realm.admin, people.former, people.formerGuest], "plans", options);
  const subscriptions = [{ name: channel.name }];
  const id = await sendToChannel(realm.admin, channel, { content: poll });
  for (const user of [people.former, people.formerGuest])
    success(await user.call(unsubscribe, { subscriptions: [channel.name] }));
  success(await realm.admin.call(subscribe, { subscriptions, principals: [people.later.id] }));
  const queues = await Promise.all(Object.values(people).map((user) => user.register(["submessage", "message"])));

  success(await add(realm.admin, id, vote));
  for (const user of Object.values(people)) await send(user, [user.id], "over");

  const received = await Promise.all(queues.map(receivesVote));
  expect(Object.fromEntries(Object.keys(people).map((name, index) => [name, received[index]]))).toEqual(expected);
});

test("a user who cannot read a message cannot add to it, and does not learn that it exists", async () => {
  const realm = await newRealm();
  const [hamlet, stranger] = [await realm.user("hamlet"), (await newRealm()).admin];
  const id = await send(realm.admin, [realm.admin.id], poll);
  const refusal = { result: "error", code: "BAD_REQUEST", msg: "Invalid message(s)" };

  for (const user of [hamlet, stranger]) expect(await add(user, id, vote)).toMatchObject(refusal);
  expect(await add(hamlet, 999_999_999, vote)).toMatchObject(refusal);
  expect(await partsOf(realm.admin, id)).toHaveLength(1);
});

test("only its sender can start a widget on an ordinary message", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const id = await send(realm.admin, [hamlet.id], "plain");

  expect(await add(hamlet, id, "{}")).toMatchObject({ msg: "You cannot attach a submessage to this message." });
  success(await add(realm.admin, id, '{"widget_type":"custom"}'));
  success(await add(hamlet, id, '{"anything":1}'));
});

test.each([
  [poll, "no json", "Invalid json for submessage"],
  [poll, "7", "Invalid poll data"],
  [poll, '{"type":"vote","key":"a","vote":2}', "Invalid poll data"],
  [poll, '{"type":"vote","key":"a","vote":1,"more":1}', "Invalid poll data"],
  [poll, '{"type":"new_option","idx":"1","option":"x"}', "Invalid poll data"],
  [poll, '{"type":"constructor"}', "Unknown type for poll data: constructor"],
  [poll, '{"type":"question","question":"Dinner?"}', "You can't edit a question unless you are the author."],
  ["/todo", '{"type":"strike","key":1}', "Invalid todo data"],
  ["/todo", '{"type":"vote","key":"a","vote":1}', "Unknown type for todo data: vote"],
  [
    "/todo",
    '{"type":"new_task_list_title","title":"x"}',
    "You can't edit the task list title unless you are the author.",
  ],
])("%j refuses %s", async (content, part, msg) => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const id = await send(realm.admin, [hamlet.id], content);

  expect(await add(hamlet, id, part)).toEqual({ result: "error", code: "BAD_REQUEST", msg });
});

test.each([
  [poll, '{"type":"new_option","idx":1,"option":"rice"}'],
  [poll, '{"type":"question","question":"Dinner?"}'],
  ["/todo", '{"type":"new_task","key":2,"task":"a","desc":"","completed":false}'],
  ["/todo", '{"type":"strike","key":"0,canned"}'],
  ["/todo", '{"type":"new_task_list_title","title":"x"}'],
])("the author of %j may add %s", async (content, part) => {
  const realm = await newRealm();
  const id = await send(realm.admin, [realm.admin.id], content);

  success(await add(realm.admin, id, part));

  expect((await partsOf(realm.admin, id)).map((one) => one.content)[1]).toBe(part);
});

test("none of many concurrent votes on two nodes is lost", async () => {
  const realm = await newRealm();
  const id = await sendToChannel(realm.admin, await channelOf([realm.admin], "plans"), { content: poll });
  const queue = await realm.admin.register(["submessage"]);

  await Promise.all(Array.from({ length: 8 }, () => add(realm.admin, id, vote)));

  const ids: number[] = [];
  for (let n = 0; n < 8; n++) ids.push((await queue.nextOf("submessage")).submessage_id);
  const stored = await partsOf(realm.admin, id);
  expect(ids.toSorted((a, b) => a - b)).toEqual(stored.slice(1).map((part) => part.id));
});
