import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newRealm } from "../../../../../test/realm.ts";
import { writeTarGz } from "../../../../../test/tiny-archives.ts";
import { openSource } from "../open.ts";
import { demandSameOrigin } from "../origin.ts";
import { ArchiveRefused, type Source, type SourceMessage } from "../source.ts";

const user = (id: number, full_name: string, more: object = {}) => ({
  id,
  full_name,
  role: 400,
  is_active: true,
  is_bot: false,
  delivery_email: `u${id}@ferry.example`,
  settings: null,
  profile: [],
  status: null,
  ...more,
});
const files = {
  organization: [{ id: 7, name: "Ferry", date_created: "2024-01-01T00:00:00+00:00" }],
  users: [user(1, "Sigrid Vale"), user(2, "Noor Aziz", { delivery_email: null }), user(3, "Ada")],
  channels: [
    { id: 21, name: "bridge", invite_only: false, history_public_to_subscribers: true },
    { id: 22, name: "hold", invite_only: true, history_public_to_subscribers: false },
  ],
  subscriptions: [21, 22].flatMap((channel_id) => [
    { user_id: 1, channel_id, active: true, personal: { received: "{[101,)}", read: "{[1,102)}" } },
    { user_id: 2, channel_id, active: true, personal: null },
    { user_id: 3, channel_id, active: false, personal: { received: "{[101,102)}", read: "{}" } },
  ]),
  messages: [
    [101, 21],
    [102, 21],
    [101, 22],
    [102, 22],
  ].map(([id, conversation_id]) => ({
    id,
    conversation_id,
    sender_id: 1,
    is_channel_message: true,
    topic: "t",
    topic_id: 5,
    date_sent: "2024-05-01T10:00:00.25+00:00",
    content: "x",
    edits: [],
    reactions: [],
    submessages: [],
  })),
};
const summary = { format: "skein-export", version: 1, release: "9.9.9" };

const write = (more: Record<string, unknown> = {}, described: object | null = summary): Promise<string> =>
  writeTarGz({
    ...Object.fromEntries(
      Object.entries({ ...files, ...more }).map(([kind, rows]) => [`${kind}-000001.json`, JSON.stringify(rows)]),
    ),
    ...(described === null ? {} : { "export.json": JSON.stringify(described) }),
  });

const open = async (path: string): Promise<Source> => openSource(path, { noteSkipped: () => undefined });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

test("members who did not agree have read everything, and received nothing where history is protected", async () => {
  const source = await open(await write());

  const messages = (await collect(source.messages())) as SourceMessage[]; // there are no stubs
  await source.close();

  expect(messages.map(({ channelId, receivedBy, unreadBy }) => ({ channelId, receivedBy, unreadBy }))).toEqual([
    { channelId: "21", receivedBy: ["1", "3", "2"], unreadBy: ["3"] },
    { channelId: "21", receivedBy: undefined, unreadBy: ["1"] },
    { channelId: "22", receivedBy: ["1", "3"], unreadBy: ["3"] },
    { channelId: "22", receivedBy: ["1"], unreadBy: ["1"] },
  ]);
  expect(messages[0]?.at).toBe(Date.parse("2024-05-01T10:00:00.250Z") * 1000);
});

test("a person whose address is private has none", async () => {
  const source = await open(await write());

  expect((await collect(source.people())).map(({ email }) => email)).toEqual([
    "u1@ferry.example",
    undefined,
    "u3@ferry.example",
  ]);
  await source.close();
});

test.for([
  ["is not complete", null],
  ["9.9.9 or a later one", { ...summary, version: 2 }],
] as const)("an export is refused that %s", async ([reason, described]) => {
  const path = await write({}, described);

  await expect(open(path)).rejects.toThrow(ArchiveRefused);
  await expect(open(path)).rejects.toThrow(reason);
});

test("a damaged list of people is a reason to refuse the export", async () => {
  const path = await writeTarGz({
    "organization-000001.json": "[]",
    "users-000001.json": '[{"id": 1',
    "export.json": JSON.stringify(summary),
  });

  await expect(open(path)).rejects.toThrow("users-000001.json cannot be read");
});

test("exports of two organizations cannot be imported into the same one", async () => {
  const realm = await newRealm();
  const [first, second] = [
    await open(await write()),
    await open(await write({ organization: [{ id: 8, name: "Other", date_created: randomUUID() }] })),
  ];
  const { db } = realm.ctx;

  await demandSameOrigin(db, realm.id, first);
  await demandSameOrigin(db, realm.id, first);

  await expect(demandSameOrigin(db, realm.id, second)).rejects.toThrow("This is an export of Other");
  await Promise.all([first.close(), second.close()]);
});
