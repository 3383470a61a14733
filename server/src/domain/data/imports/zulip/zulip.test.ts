import { expect, test } from "vitest";
import { writeTarGz } from "../../../../../test/tiny-archives.ts";
import { openSource } from "../open.ts";
import { ArchiveRefused, notificationBotId, type Source, type SourceMessage } from "../source.ts";
import { toSourceText } from "./text.ts";

const user = (id: number, full_name: string, more: object = {}) => ({
  id,
  full_name,
  delivery_email: `u${id}@ferry.example`,
  role: 400,
  is_active: true,
  is_bot: false,
  ...more,
});
const tables = {
  zerver_realm: [{ id: 2, name: "Ferry" }],
  zerver_userprofile: [
    user(10, "Sigrid Vale", { role: 100, twenty_four_hour_time: true }),
    user(13, "Noor Aziz"),
    user(16, "Rivet", { is_bot: true, bot_owner: 10 }),
  ],
  zerver_userprofile_mirrordummy: [user(17, "Ada Away", { is_active: false, is_mirror_dummy: true })],
  zerver_userprofile_crossrealm: [{ id: 3, email: "notification-bot@zulip.com" }],
  zerver_stream: [{ id: 21, name: "bridge", description: "", invite_only: true, history_public_to_subscribers: false }],
  zerver_defaultstream: [{ stream: 21 }],
  zerver_recipient: [
    { id: 1, type: 2, type_id: 21 },
    { id: 2, type: 1, type_id: 13 },
    { id: 3, type: 3, type_id: 31 },
  ],
  zerver_subscription: [
    { recipient: 1, user_profile: 10, active: true },
    { recipient: 1, user_profile: 13, active: false },
    { recipient: 3, user_profile: 10 },
    { recipient: 3, user_profile: 13 },
    { recipient: 3, user_profile: 17 },
  ],
  zerver_reaction: [
    { message: 101, user_profile: 13, emoji_name: "thumbs_up", emoji_code: "1f44d", reaction_type: "unicode_emoji" },
  ],
  zerver_useractivity: [{ anything: 1 }],
  zerver_usergroup: [{ id: 9 }, { id: 11 }],
  zerver_namedusergroup: [
    { id: 1, name: "role:members", is_system_group: true },
    { id: 9, name: "deck-hands", description: "d", is_system_group: false },
  ],
  zerver_usergroupmembership: [
    { user_group: 9, user_profile: 13 },
    { user_group: 11, user_profile: 10 },
  ],
  zerver_groupgroupmembership: [{ supergroup: 9, subgroup: 1 }],
  zerver_scheduledmessage: [
    {
      id: 1,
      sender: 13,
      recipient: 1,
      subject: "t",
      content: "later",
      scheduled_timestamp: 2_000_000_000.5,
      delivery_type: 1,
      delivered: false,
    },
    {
      id: 2,
      sender: 13,
      recipient: 1,
      subject: "t",
      content: "sent",
      scheduled_timestamp: 1,
      delivery_type: 1,
      delivered: true,
    },
  ],
  zerver_usertopic: [{ user_profile: 13, stream: 21, topic_name: "t", visibility_policy: 3 }],
  zerver_alertword: [{ user_profile: 10, word: "iceberg" }],
};
const message = (id: number, more: object) => ({
  id,
  sender: 10,
  recipient: 1,
  subject: "t",
  content: "x",
  date_sent: 1_741_338_000.25,
  ...more,
});

async function open(
  messages: object[],
  usermessages: object[] = [],
  more: Record<string, string> = {},
  notes: string[] = [],
): Promise<Source> {
  const path = await writeTarGz({
    "root/realm.json": JSON.stringify(tables, null, 2),
    "root/migration_status.json": "{}",
    "root/messages-000001.json": JSON.stringify({ zerver_message: messages, zerver_usermessage: usermessages }),
    "root/uploads/2/ab/deck plan.txt": "plan",
    ...more,
  });
  return openSource(path, { noteSkipped: (reason) => notes.push(reason) });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
const messagesOf = async (source: Source): Promise<SourceMessage[]> =>
  (await collect(source.messages())) as SourceMessage[]; // Zulip has no stubs

test("messages say where they were sent, who received them, and what became of them", async () => {
  const rows = [
    { message: 101, user_profile: 10, flags_mask: 1 | 2 },
    { message: 101, user_profile: 13, flags_mask: 8 },
    { message: 101, user_profile: 17, flags_mask: 1 | 1024 },
  ];
  const history = [
    { user_id: 13, timestamp: 20, prev_topic: "old", topic: "t" },
    { user_id: 10, timestamp: 10, prev_content: "y" },
  ];
  const source = await open(
    [message(101, { last_edit_time: 20, edit_history: JSON.stringify(history) }), message(102, { sender: 3 })],
    rows,
  );

  const messages = await messagesOf(source);

  expect(messages[0]).toEqual({
    id: "101",
    channelId: "21",
    topic: "t",
    senderId: "10",
    at: 1_741_338_000_250_000,
    text: ["x"],
    editedAt: 20_000_000,
    edits: [
      { at: 10_000_000, personId: "10", previousText: ["y"] },
      { at: 20_000_000, personId: "13", previousTopic: "old", topic: "t" },
    ],
    reactions: [{ emojiName: "+1", people: ["13"] }],
    receivedBy: ["10", "13"],
    unreadBy: ["13"],
    starredBy: ["10"],
    mentioned: ["13"],
  });
  expect(messages[1]).toMatchObject({ senderId: notificationBotId, receivedBy: [], unreadBy: [] });
  await source.close();
});

test("direct conversations have two forms", async () => {
  const source = await open([
    message(101, { recipient: 2 }),
    message(102, { recipient: 3 }),
    message(103, { recipient: 2, sender: 13 }),
  ]);

  expect((await collect(source.directs())).map(({ members }) => members)).toEqual([
    ["10", "13", "17"],
    ["10", "13"],
    ["13"],
  ]);
  expect((await messagesOf(source)).map(({ directId, topic }) => [directId, topic])).toEqual([
    ["10,13", undefined],
    ["10,13,17", undefined],
    ["13", undefined],
  ]);
  await source.close();
});

test("people, channels, groups and what people have for themselves", async () => {
  const source = await open([]);
  const { extras } = source;

  expect(source.organization).toBe("Ferry");
  expect(
    (await collect(source.people())).map(({ id, kind, role, isActive, ownerId }) => [
      id,
      kind,
      role,
      isActive,
      ownerId,
    ]),
  ).toEqual([
    ["10", "person", 100, true, undefined],
    ["13", "person", 400, true, undefined],
    ["16", "bot", 400, true, "10"],
    ["17", "person", 400, false, undefined],
  ]);
  expect(await collect(source.channels())).toEqual([
    {
      id: "21",
      name: "bridge",
      description: "",
      isPrivate: true,
      isArchived: false,
      isDefault: true,
      hasProtectedHistory: true,
      members: ["10"],
    },
  ]);
  expect(await collect(extras!.groups())).toEqual([
    { id: "9", name: "deck-hands", description: "d", isActive: true, members: ["13"], subgroups: [] },
  ]);
  expect(await collect(extras!.scheduledMessages())).toEqual([
    { id: "1", senderId: "13", channelId: "21", topic: "t", text: ["later"], at: 2_000_000_000_500_000 },
  ]);
  expect(await collect(extras!.topicVisibility())).toEqual([
    { personId: "13", channelId: "21", topic: "t", policy: 3 },
  ]);
  expect((await collect(extras!.personal()))[0]).toEqual({
    personId: "10",
    alertWords: ["iceberg"],
    mutedPeople: [],
    snippets: [],
    settings: { twenty_four_hour_time: true },
  });
  await source.close();
});

test("texts keep their words, and what they refer to is found", () => {
  const context = {
    isPerson: (id: string) => id === "13",
    personByName: (name: string) => (name === "Noor Aziz" ? "13" : undefined),
    isChannel: (id: string) => id === "21",
    channelByName: (name: string) => (name === "bridge" ? "21" : undefined),
    upload: (path: string, name: string) => ({ entry: path, name }),
  };
  const read = (text: string) => toSourceText(text, context);

  expect(read("@**Noor Aziz|13** @_**Noor Aziz** @**all** @*crew* @**X|99**")).toEqual([
    { kind: "person", id: "13", isLoud: true },
    " ",
    { kind: "person", id: "13" },
    " @**all** @*crew* @**X|99**",
  ]);
  expect(read("#**bridge** #**bridge>t** #**bridge>t@102** #**other**")).toEqual([
    { kind: "channel", id: "21" },
    " #**bridge>t** ",
    { kind: "message", id: "102", original: "#**bridge>t@102**" },
    " #**other**",
  ]);
  expect(read("[there](#narrow/channel/21-bridge/topic/t/near/101) [x](#narrow/stream/21-bridge/topic/t)")).toEqual([
    { kind: "message", id: "101", text: "there", original: "[there](#narrow/channel/21-bridge/topic/t/near/101)" },
    " ",
    "[x](#narrow/stream/",
    { kind: "channelNumber", id: "21" },
    "-bridge/topic/t)",
  ]);
  expect(read("[plan](/user_uploads/2/ab/deck plan.txt)")).toEqual([
    { kind: "file", file: { entry: "2/ab/deck plan.txt", name: "plan" }, text: "plan" },
  ]);
});

test("bad messages and missing files are noted", async () => {
  const notes: string[] = [];
  const rows = [
    null,
    message(101, { date_sent: -1 }),
    message(102, { sender: 99 }),
    message(103, { recipient: 99 }),
    message(104, { content: "[a](/user_uploads/2/ab/deck%20plan.txt) [b](/user_uploads/2/zz/b.txt)" }),
  ];
  const source = await open(
    rows as object[],
    [],
    { "root/messages-000002.json": '{"zerver_message": [{"id": 1' },
    notes,
  );

  const messages = await messagesOf(source);

  expect(messages.map(({ id }) => id)).toEqual(["104"]);
  expect(notes.toSorted()).toEqual([
    "bad_message",
    "bad_message",
    "bad_message",
    "bad_timestamp",
    "broken_file",
    "file_not_in_archive",
  ]);
  await source.close();
});

test.for(["attachment.json", "uploads/records.json", "avatars/records.json", "emoji/records.json"])(
  "a path in %s that leaves its folder is refused",
  async (list) => {
    const filler = Array.from({ length: 5000 }, () => ({ path: "2/ab/x.txt" }));
    const records = JSON.stringify([
      ...filler,
      { path: String.raw`2/aa/..\/..\/..\/etc/hostname`.replaceAll("\\", "") },
      ...filler,
    ]);

    await expect(open([], [], { [`root/${list}`]: records })).rejects.toThrow(ArchiveRefused);
  },
);
