import { expect, test } from "vitest";
import { writeZip } from "../../../../../test/tiny-archives.ts";
import { openSource } from "../open.ts";
import { ArchiveRefused, type Source, type SourceMessage, type SourcePerson } from "../source.ts";

const lines = (...rows: object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const version = { type: "version", version: 1 };
const team = { type: "team", team: { name: "quay", display_name: "Quay" } };
const channel = (name: string, more: object = {}) => ({
  type: "channel",
  channel: {
    team: "quay",
    name,
    display_name: `The ${name}`,
    type: "O",
    header: "",
    purpose: "",
    deleted_at: 0,
    ...more,
  },
});
const user = (username: string, channels: object[] = [], more: object = {}) => ({
  type: "user",
  user: {
    username,
    email: `${username}@quay.example`,
    first_name: username.toUpperCase(),
    last_name: "Holt",
    roles: "system_user",
    delete_at: 0,
    teams: [{ name: "quay", channels }],
    ...more,
  },
});
const at = Date.UTC(2025, 1, 3, 9);
const post = (message: string, more: object = {}) => ({
  type: "post",
  post: { team: "quay", channel: "lamps", user: "mara", message, create_at: at, ...more },
});
const people = [
  user("mara", [{ name: "lamps", last_viewed_at: at }]),
  user("jon.as"),
  { type: "bot", bot: { username: "gauge", owner: "mara", display_name: "Gauge" } },
];

async function open(rows: object[], notes: string[] = [], text = ""): Promise<Source> {
  const content = lines(version, team, channel("lamps"), channel("dock"), ...people, ...rows) + text;
  return openSource(
    writeZip([
      ["import.jsonl", content],
      ["data/2025/a b.txt", "abc"],
      ["data/emoji/cat", "png"],
    ]),
    { noteSkipped: (reason) => notes.push(reason) },
  );
}

async function messagesOf(source: Source): Promise<{ messages: SourceMessage[]; stubs: SourcePerson[] }> {
  const messages: SourceMessage[] = [];
  const stubs: SourcePerson[] = [];
  for await (const item of source.messages())
    if ("stub" in item) stubs.push(item.stub);
    else messages.push(item);
  await source.close();
  return { messages, stubs };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const markdown = (text: SourceMessage["text"] = []): string =>
  text
    .map((part) => (typeof part === "string" ? part : `{${part.kind} ${"id" in part ? part.id : part.file.name}}`))
    .join("");

test.for([
  ["_i_ __b__ *i* **b** ~~s~~ snake_case_name", "*i* **b** *i* **b** ~~s~~ snake_case_name"],
  ["`co_d_e` and ``a`b``", "`co_d_e` and ``a`b``"],
  ["```js\n_x_ @mara\n```\n_y_", "```js\n_x_ @mara\n```\n*y*"],
  ["```quote\nx\n```", "```\nx\n```"],
  ["@mara, @jon.as. @nobody @all @here", "{person mara}, {person jon.as}. @nobody @all @here"],
  ["see ~lamps and ~~struck~~ ~unknown", "see {channel quay/lamps} and ~~struck~~ ~unknown"],
  [
    "![a picture](https://p.example/one.png =100x50) [b_c_d](https://x.example/a_b_c)",
    "[a picture](https://p.example/one.png) [b_c_d](https://x.example/a_b_c)",
  ],
  ["https://x.example/_a_b_", "https://x.example/_a_b_"],
  [
    "@**all** #**lamps** <time:2024-01-01> $$x$$",
    "&#64;**all** &#35;**lamps** &lt;time:2024-01-01> &#36;&#36;x&#36;&#36;",
  ],
  [String.raw`\*not\* \_this\_`, "&#42;not&#42; &#95;this&#95;"],
  [":thumbsup: :smile: :cat_custom:", ":+1: :smile: :cat_custom:"],
  ["/poll x", "&#47;poll x"],
  ["", "(no text)"],
])("Markdown: %s", async ([text = "", wanted]) => {
  const { messages } = await messagesOf(await open([post(text)]));

  expect(markdown(messages[0]?.text)).toBe(wanted);
});

test("replies make a thread; in direct messages they do not", async () => {
  const replies = [
    { user: "jon.as", message: "two", create_at: at + 2000 },
    { user: "mara", message: "one", create_at: at + 1000 },
    { user: "mara", message: "one", create_at: at + 1000 },
  ];
  const direct = {
    type: "direct_post",
    direct_post: { channel_members: ["jon.as", "mara"], user: "mara", message: "hi", create_at: at, replies },
  };
  const { messages } = await messagesOf(await open([post("Hello @mara, see ~dock! _Now_ then.", { replies }), direct]));

  const [root, ...others] = messages.slice(0, 4);
  expect(root?.threadId).toBe(root?.id);
  expect(root?.threadName).toBe("Hello MARA Holt, see #The dock!");
  expect(others.map(({ threadId }) => threadId)).toEqual([root?.id, root?.id, root?.id]);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(8);
  expect(messages.slice(4).map(({ directId, threadId }) => [directId, threadId])).toEqual(
    Array.from({ length: 4 }, () => ["jon.as,mara", undefined]),
  );
});

test("emoji lines may come after posts", async () => {
  const reactions = [
    { user: "mara", emoji_name: "cat" },
    { user: "mara", emoji_name: "thumbsup_dark_skin_tone" },
    { user: "jon.as", emoji_name: "+1" },
    { user: "x", emoji_name: "+1" },
  ];
  const notes: string[] = [];
  const { messages } = await messagesOf(
    await open([post("x", { reactions }), { type: "emoji", emoji: { name: "cat", image: "emoji/cat" } }], notes),
  );

  expect(messages[0]?.reactions).toEqual([
    { emojiName: "cat", people: ["mara"] },
    { emojiName: "+1", people: ["mara", "jon.as"] },
  ]);
  expect(notes).toEqual(["reaction_unknown_user"]);
});

test("what cannot be imported is noted, and the rest is read", async () => {
  const notes: string[] = [];
  const rows = [
    post("x", { type: "system_join_channel" }),
    post("x", { create_at: "soon" }),
    post("x", { user: "" }),
    post("x", { channel: "absent" }),
    post("pinned", { is_pinned: true }),
    post("see https://chat.example/quay/pl/9x4kq3zt1pgyjc7ebh1sd8m5no"),
    post("file", { attachments: [{ path: "2025/a b.txt" }, { path: "../../etc/passwd" }] }),
    post("stranger", { user: "odile" }),
  ];
  const { messages, stubs } = await messagesOf(await open(rows, notes, '{"type":"post","post":{"cut'));

  expect(messages.map(({ text }) => markdown(text))).toEqual([
    "pinned",
    "see https://chat.example/quay/pl/9x4kq3zt1pgyjc7ebh1sd8m5no",
    "file\n\n{file a b.txt}\n{file passwd}",
    "stranger",
  ]);
  expect(stubs.map(({ id, isListed }) => [id, isListed])).toEqual([["odile", false]]);
  expect(notes).toEqual([
    "system_message",
    "bad_timestamp",
    "bad_message",
    "unknown_channel",
    "pin",
    "permalink_unresolved",
    "file_not_in_archive",
    "bad_message",
  ]);
});

test("read states come from channels, threads and participants; followers from threads", async () => {
  const thread = post("root", {
    replies: [{ user: "mara", message: "r", create_at: at + 1 }],
    thread_followers: [
      { user: "mara", last_viewed: at + 5 },
      { user: "jon.as", last_viewed: 0 },
    ],
  });
  const directs = [
    {
      type: "direct_channel",
      direct_channel: { participants: [{ username: "mara", last_viewed_at: at }, { username: "jon.as" }] },
    },
    { type: "direct_channel", direct_channel: { members: ["mara", "mara"] } },
  ];
  const source = await open([thread, ...directs]);
  const [states, followers, found] = [
    await collect(source.readStates()),
    await collect(source.followers()),
    await collect(source.directs()),
  ];
  const { messages } = await messagesOf(source);
  const threadId = messages[0]?.id;

  expect(states).toEqual([
    { personId: "mara", channelId: "quay/lamps", readUntil: at * 1000 },
    { personId: "mara", threadId, readUntil: (at + 5) * 1000 },
    { personId: "mara", directId: "jon.as,mara", readUntil: at * 1000 },
  ]);
  expect(followers).toEqual([
    { personId: "mara", threadId },
    { personId: "jon.as", threadId },
  ]);
  expect(found.map(({ members }) => members)).toEqual([["jon.as", "mara"], ["mara"]]);
});

test("a file of lines that is not a bulk export is refused", async () => {
  const path = writeZip([["import.jsonl", lines({ type: "version", version: 2 })]]);

  await expect(openSource(path, { noteSkipped: () => undefined })).rejects.toThrow(ArchiveRefused);
});
