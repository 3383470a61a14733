import { expect, test } from "vitest";
import { writeZip, type ZipContent } from "../../../../../test/tiny-archives.ts";
import { renderMarkdown } from "../../../../markdown/render.ts";
import { openSource } from "../open.ts";
import type { SkipReason, SourceMessage, SourcePerson } from "../source.ts";

const user = (id: string, name: string, more: object = {}, profile: object = {}) => ({
  id,
  name: id.toLowerCase(),
  profile: { real_name: name, email: `${id}@x.example`, ...profile },
  ...more,
});
const users = [
  user("U1", "Ines Calder", { is_owner: true }),
  user("U2", "Yuki Ōta", { is_admin: true }),
  user("U3", "Pia Lund", { is_ultra_restricted: true }),
  user("U4", "Norbert", { deleted: true }),
  user("U5", "Greta Ash", { deleted: true }, { email: "Greta@x.example" }),
  user("U6", "Greta Ash-Wren", { is_admin: true }, { email: "greta@X.example" }),
  user("U7", "Tidewatch", { is_bot: true }, { bot_id: "B1" }),
  user("USLACKBOT", "Slackbot"),
];
const channels = [
  {
    id: "C1",
    name: "harbour",
    members: ["U1", "U5", "U6", "U9"],
    purpose: { value: "" },
    topic: { value: "tides &amp; lamps" },
  },
];

interface Read {
  people: SourcePerson[];
  messages: SourceMessage[];
  stubs: SourcePerson[];
  skipped: [SkipReason, string][];
}

async function read(content: ZipContent): Promise<Read> {
  const found: Read = { people: [], messages: [], stubs: [], skipped: [] };
  const source = await openSource(writeZip(content), {
    noteSkipped: (reason, id) => found.skipped.push([reason, id]),
    customEmoji: new Set(["lantern"]),
  });
  for await (const person of source.people()) found.people.push(person);
  for await (const item of source.messages())
    if ("stub" in item) found.stubs.push(item.stub);
    else found.messages.push(item);
  await source.close();
  return found;
}

const lists: ZipContent = [
  ["users.json", JSON.stringify(users)],
  ["channels.json", JSON.stringify(channels)],
  [
    "dms.json",
    JSON.stringify([
      { id: "D1", members: ["U1", "U1"] },
      { id: "D2", members: ["U1", "U8"] },
    ]),
  ],
];
const day = (messages: unknown[], folder = "harbour"): ZipContent[number] => [
  `${folder}/2024-05-01.json`,
  JSON.stringify(messages),
];
const readDay = (...messages: unknown[]): Promise<Read> => read([...lists, day(messages)]);

const message = (text: string, more: object = {}) => ({
  type: "message",
  user: "U1",
  ts: "1714554000.000100",
  text,
  ...more,
});

/** The Markdown that one message becomes; references as `{kind id}`. */
async function markdownOf(given: object): Promise<string> {
  const { messages } = await readDay(given);
  const [first] = messages;
  return (first?.text ?? [])
    .map((part) => (typeof part === "string" ? part : `{${part.kind} ${"id" in part ? part.id : part.file.name}}`))
    .join("");
}

test.for([
  ["*b* _i_ ~s~ `c_d`", "**b** *i* ~~s~~ `c_d`"],
  ["*_both_* and *one two*, (*x*)", "***both*** and **one two**, (**x**)"],
  ["snake_case_name 2*3*4 a~b~c", "snake_case_name 2&#42;3&#42;4 a~b~c"],
  ["<@U1> <@U6|greta> <@U99|bob> <@U98>", "{person U1} {person U5} @bob @U98"],
  ["<#C1|harbour> <#C9|secret>", "{channel C1} #secret"],
  ["<!here> <!channel|channel> <!subteam^S1|@keepers>", "@here @channel @keepers"],
  ["<!date^1710000000^{date}|soon> <!date^x|then>", "<time:2024-03-09T16:00:00Z> <!date^x|then>"],
  ["<https://x.example/a_b*c?d=1&amp;e=2|the *table*>", "[the &#42;table&#42;](https://x.example/a_b*c?d=1&e=2)"],
  [
    "see <https://x.example/raw>, and <https://x.example/raw>s",
    "see https://x.example/raw, and [https://x.example/raw](https://x.example/raw)s",
  ],
  ["<mailto:a@x.example|a@x.example> <tel:123|123>", "a@x.example 123"],
  ["<javascript:alert(1)|click> [a](javascript:b)", "click [a&#93;(javascript:b)"],
  ["a &lt;b&gt; &amp;amp; c", "a <b> &amp;amp; c"],
  ["&gt; quoted\nnot", "> quoted\n\nnot"],
  ["&gt;&gt;&gt;all\nof it", "> all\n> of it"],
  ["x ```a *b* &lt;c&gt;``` y", "x \n```\na *b* <c>\n```\n y"],
  [":thumbsup::skin-tone-3: :smile: :lantern:", ":+1: :smile: :lantern:"],
  ["@**all** #**a>b** <time:2024-01-01>", "@&#42;&#42;all&#42;&#42; #&#42;&#42;a>b&#42;&#42; time:2024-01-01"],
  ["/poll x", "&#47;poll x"],
  ["", "(no text)"],
])("mrkdwn: %s", async ([text = "", markdown]) => {
  expect(await markdownOf(message(text))).toBe(markdown);
});

const rich = (...elements: object[]) => ({ blocks: [{ type: "rich_text", elements }] });
const section = (...elements: object[]) => ({ type: "rich_text_section", elements });
const words = (text: string, style: object = {}) => ({ type: "text", text, style });

test.for([
  [rich(section(words("*a* _b_ "), words("c", { bold: true, italic: true }))), "&#42;a&#42; _b_ ***c***"],
  [
    rich(section(words(" padded ", { italic: true }), words("two\nlines", { bold: true }))),
    "*padded* **two**\n**lines**",
  ],
  [rich(section(words("a`b", { code: true }))), "``a`b``"],
  [
    rich(section(words("before")), { type: "rich_text_quote", elements: [words("q\nr")] }, section(words("after"))),
    "before\n> q\n> r\n\nafter",
  ],
  [
    rich(
      { type: "rich_text_list", style: "bullet", indent: 0, elements: [section(words("one")), section(words("two"))] },
      { type: "rich_text_list", style: "ordered", indent: 1, elements: [section(words("in"))] },
    ),
    "* one\n* two\n  1. in",
  ],
  [rich({ type: "rich_text_preformatted", elements: [words("a\n*b*")] }), "```\na\n*b*\n```"],
  [
    rich(
      section(
        { type: "user", user_id: "U2" },
        { type: "broadcast", range: "here" },
        { type: "usergroup", usergroup_id: "S1" },
      ),
    ),
    "{person U2}@here@S1",
  ],
  [
    {
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Build" } },
        { type: "section", text: { type: "mrkdwn", text: "*ok*" } },
      ],
    },
    "**Build**\n**ok**",
  ],
] as const)("blocks go before text: %#", async ([given, markdown]) => {
  expect(await markdownOf(message("fallback", given))).toBe(markdown);
});

test("attachments follow the text: pretext, title, text, fields", async () => {
  const attachments = [
    { pretext: "pre", title: "T", title_link: "https://t.example/", text: "*x*", fields: [{ title: "W", value: "5" }] },
    { fallback: "only *this*" },
    { from_url: "https://preview.example", title: "preview" },
  ];

  expect(await markdownOf(message("text", { attachments }))).toBe(
    "text\n\npre\n[T](https://t.example/)\n**x**\n**W**: 5\n\nonly **this**",
  );
});

test("links to messages are references with their text", async () => {
  const { messages } = await readDay(
    message("<https://w.slack.com/archives/C1/p1714554000000100?thread_ts=1&amp;cid=C1|over [there]>"),
  );

  expect(messages[0]?.text).toEqual([
    {
      kind: "message",
      id: "C1:1714554000.000100",
      text: "over &#91;there&#93;",
      original: "[over &#91;there&#93;](https://w.slack.com/archives/C1/p1714554000000100?thread_ts=1&cid=C1)",
    },
  ]);
});

test("people: roles, merged accounts, bots", async () => {
  const { people } = await readDay();

  expect(people.map(({ id, kind, role, isActive, isListed }) => [id, kind, role, isActive, isListed])).toEqual([
    ["U1", "person", 100, true, true],
    ["U2", "person", 200, true, true],
    ["U3", "person", 600, true, true],
    ["U4", "person", 400, false, true],
    ["U5", "person", 200, true, true],
    ["U7", "bot", 400, true, true],
    ["USLACKBOT", "bot", 400, true, true],
    ["U8", "person", 400, false, false],
  ]);
});

test("senders: bots by their id, strangers once, and nobody", async () => {
  const at = (second: number, more: object) => ({
    type: "message",
    ts: `17145540${second}.000100`,
    text: "x",
    ...more,
  });
  const { messages, stubs, skipped } = await readDay(
    at(10, { bot_id: "B1", subtype: "bot_message", username: "other" }),
    at(11, { bot_id: "B9", subtype: "bot_message" }),
    at(12, { user: "U77", user_profile: { real_name: "Odile Farrow" } }),
    at(13, { user: "U77" }),
    at(14, { user: "U78" }),
    at(15, {}),
    at(16, { user: "U00" }),
    at(17, {
      subtype: "huddle_thread",
      user: "USLACKBOT",
      room: { created_by: "U2", participant_history: ["U2", "U1"], date_start: 0, date_end: 60 },
    }),
  );

  expect(messages.map(({ senderId }) => senderId)).toEqual(["U7", "B9", "U77", "U77", "U78", "U2"]);
  expect(messages.at(-1)?.text).toEqual(["Huddle: 2 people, 1 minute"]);
  expect(stubs.map(({ id, name }) => [id, name])).toEqual([
    ["B9", "Deleted Slack bot B9"],
    ["U77", "Odile Farrow"],
    ["U78", "Unknown Slack user U78"],
  ]);
  expect(skipped.map(([reason]) => reason)).toEqual(["bad_message", "system_message"]);
});

test("threads: root, reply, broadcast, and a root that is not called one", async () => {
  const root = message("Where is the key? I looked.", { thread_ts: "1714554000.000100" });
  const reply = message("Here.", {
    ts: "1714554001.000100",
    thread_ts: "1714554000.000100",
    subtype: "thread_broadcast",
  });
  const old = message("<https://x.example>", { ts: "1714554002", reply_count: 1 });
  const { messages } = await readDay(root, reply, old);

  expect(messages.map(({ threadId, threadName, isBroadcast }) => [threadId, threadName, isBroadcast])).toEqual([
    ["C1:1714554000.000100", "Where is the key?", undefined],
    ["C1:1714554000.000100", "Here", true],
    ["C1:1714554002.000000", "thread of 2024-05-01 09:00", undefined],
  ]);
});

test("reactions lose their tones, and those of the same person are one", async () => {
  const reactions = [
    { name: "+1", users: ["U1", "U5"] },
    { name: "thumbsup::skin-tone-2", users: ["U6", "U2"] },
    { name: "lantern", users: ["U1"] },
    { name: "unheard_of", users: ["U1"] },
    { name: "heart", users: ["U99"] },
  ];
  const { messages, skipped } = await readDay(message("x", { reactions }));

  expect(messages[0]?.reactions).toEqual([
    { emojiName: "+1", people: ["U1", "U5", "U2"] },
    { emojiName: "lantern", people: ["U1"] },
  ]);
  expect(skipped.map(([reason]) => reason)).toEqual([
    "reaction_duplicate",
    "reaction_unknown_emoji",
    "reaction_unknown_user",
  ]);
});

test("files: in the archive, missing, deleted, elsewhere", async () => {
  const files = [
    { id: "F1", name: "a/b.txt", size: 3 },
    {
      id: "F2",
      name: "gone.png",
      permalink: "https://w.slack.com/files/x?t=xoxe-1",
      url_private: "https://files.slack.com/f?t=xoxe-1",
    },
    { id: "F3", mode: "tombstone" },
    { id: "F4", mode: "external", title: "Rota", url_private: "https://docs.example/rota" },
    { id: "F5", name: "c.txt" },
  ];
  const { messages, skipped } = await read([
    ...lists,
    day([message("", { files })]),
    ["__uploads/F1/b.txt", "abc"],
    ["harbour/attachments/F5-c.txt", "d"],
  ]);

  expect(messages[0]?.text).toEqual([
    { kind: "file", file: { entry: "__uploads/F1/b.txt", name: "b.txt", size: 3 } },
    "\n",
    { kind: "file", file: { name: "gone.png", permalink: "https://w.slack.com/files/x" } },
    "\n[Rota](https://docs.example/rota)\n",
    { kind: "file", file: { entry: "harbour/attachments/F5-c.txt", name: "c.txt" } },
  ]);
  expect(skipped).toEqual([
    ["file_not_in_archive", "F2"],
    ["file_deleted", "F3"],
  ]);
});

test("an archive of a folder, and folders named by ids, are read, too", async () => {
  const inFolder = [...lists, day([message("note")], "D1"), day([message("x")], "C1")].map(
    ([name, data]) => [`export/${name as string}`, data] as const,
  );
  const { messages } = await read(inFolder);

  expect(messages.map(({ id, directId, channelId }) => [id, directId ?? channelId])).toEqual([
    ["D1:1714554000.000100", "D1"],
    ["C1:1714554000.000100", "C1"],
  ]);
});

test("a day of many megabytes is read message by message", async () => {
  const many = Array.from({ length: 3000 }, (_, index) =>
    message("w ".repeat(1000), { ts: `${1_714_554_000 + index}.000100` }),
  );
  const { messages, skipped } = await read([
    ...lists,
    ["harbour/2024-05-01.json", JSON.stringify(many), { isStored: true }],
  ]);

  expect(messages).toHaveLength(3000);
  expect(skipped).toEqual([]);
});

test("what is left out is noted only when a list is read for the first time", async () => {
  const notes: string[] = [];
  const source = await openSource(writeZip([...lists, day([null])]), { noteSkipped: (reason) => notes.push(reason) });
  for (let time = 0; time < 2; time++)
    for await (const found of source.messages()) throw new Error(`unexpected: ${JSON.stringify(found)}`);
  await source.close();

  expect(notes).toEqual(["bad_message"]);
});

test("the Markdown of a text shows the text", async () => {
  const text = "2*3*4 <b> @**all**";

  expect(renderMarkdown(await markdownOf(message(text))).html).toBe("<p>2*3*4 &lt;b&gt; @**all**</p>");
});
