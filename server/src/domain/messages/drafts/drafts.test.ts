import { createDrafts, deleteDraft, editDraft, getDrafts, type DraftInput } from "@skein/api/drafts.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendDirect } from "../../../../test/actions.ts";

const toNobody: DraftInput = { type: "", to: [], topic: "", content: "half a word" };

const add = (user: TestUser, ...drafts: DraftInput[]) => user.call(createDrafts, { drafts });
const stored = async (user: TestUser) => success(await user.call(getDrafts, {})).drafts;

async function firstId(user: TestUser, draft: DraftInput): Promise<number> {
  const [id] = success(await add(user, draft)).ids;
  if (id === undefined) throw new Error("no draft was made");
  return id;
}

// spec 2.5: id, type, to, topic, content, timestamp
test("drafts of every kind are stored and listed newest first, and only the user's own clients receive events", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const channel = await channelOf([hamlet], "elsinore");
  const queue = await hamlet.register(["drafts"]);
  const others = await ophelia.register(["drafts", "message"]);

  const { ids } = success(
    await add(
      hamlet,
      { type: "stream", to: [channel.id], topic: "ideas", content: "half a thought ", timestamp: 1_600_000_000 },
      { type: "private", to: [ophelia.id, ophelia.id], topic: "ignored", content: "half a letter", timestamp: 1 },
      { ...toNobody, to: [7] },
    ),
  );

  const [one, two, three] = ids;
  const timestamp = expect.any(Number) as number;
  const drafts = [
    { id: one, type: "stream", to: [channel.id], topic: "ideas", content: "half a thought", timestamp: 1_600_000_000 },
    { id: two, type: "private", to: [ophelia.id], topic: "", content: "half a letter", timestamp: 1 },
    { id: three, ...toNobody, timestamp },
  ];
  expect(await stored(hamlet)).toEqual([drafts[2], drafts[0], drafts[1]]);
  expect(await queue.next()).toEqual({ type: "drafts", op: "add", drafts });
  expect(await stored(ophelia)).toEqual([]);
  const mark = await sendDirect(hamlet, [ophelia]);
  expect(await others.next()).toMatchObject({ type: "message", message: { id: mark } });
});

// spec 4.13: draft_id, draft, drafts events
// spec 6: drafts
test("an edit replaces the whole draft, and a deleted draft is gone", async () => {
  const realm = await newRealm();
  const user = realm.admin;
  const id = await firstId(user, { ...toNobody, timestamp: 5 });
  const queue = await user.register(["drafts"]);
  const letter: DraftInput = { type: "private", to: [user.id], topic: "", content: "a letter", timestamp: 6 };

  success(await user.call(editDraft, { draft_id: id, draft: letter }));
  const edited = await stored(user);
  success(await user.call(deleteDraft, { draft_id: id }));

  expect(edited).toEqual([{ id, ...letter }]);
  expect(await queue.next()).toEqual({ type: "drafts", op: "update", draft: { id, ...letter } });
  expect(await queue.next()).toEqual({ type: "drafts", op: "remove", draft_id: id });
  expect(await stored(user)).toEqual([]);
});

// spec 4.13: error BAD_REQUEST when the draft does not exist
test("another user's draft looks as if it did not exist", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const stranger = (await newRealm()).admin;
  const id = await firstId(hamlet, toNobody);

  const missing = { result: "error", code: "BAD_REQUEST", msg: "Draft does not exist" };
  for (const [user, draft_id] of [
    [realm.admin, id],
    [stranger, id],
    [hamlet, 999_999_999],
  ] as const) {
    expect(await user.call(editDraft, { draft_id, draft: toNobody })).toEqual(missing);
    expect(await user.call(deleteDraft, { draft_id })).toEqual(missing);
  }
  expect(await stored(hamlet)).toHaveLength(1);
});

// spec 2.5: type, to, topic, content, timestamp, no null bytes
// spec 8: channel draft's to holds exactly one ID, null bytes
test("an invalid draft is refused on creation and on editing, and nothing of it is stored", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const hidden = await channelOf([realm.admin], "council", { isPrivate: true });
  const open = await channelOf([hamlet], "square");
  const stranger = (await newRealm()).admin;
  const id = await firstId(hamlet, toNobody);
  const note = { type: "stream", to: [open.id], topic: "x", content: "words" };
  const refused: [unknown, string][] = [
    [{ ...note, to: [] }, "Must specify exactly 1 channel ID for channel messages"],
    [{ ...note, to: [open.id, hidden.id] }, "Must specify exactly 1 channel ID for channel messages"],
    [{ ...note, to: [hidden.id] }, "Invalid channel ID"],
    [{ ...note, to: [999_999_999] }, "Invalid channel ID"],
    [{ ...note, topic: "a\0b" }, "Topic must not contain null bytes"],
    [{ ...note, content: "a\0b" }, "Message must not contain null bytes"],
    [{ ...note, content: " " }, "Message must not be empty"],
    [{ ...note, timestamp: -1 }, "Timestamp must not be negative."],
    [{ ...note, timestamp: 1e15 }, "Invalid timestamp"],
    [{ ...note, timestamp: 1.5 }, 'draft["timestamp"] is not an integer'],
    [{ ...note, type: "private", to: [stranger.id] }, `Invalid user ID ${stranger.id}`],
    [{ ...note, id }, 'Argument "id" at draft is unexpected'],
    [{ ...note, to: open.id }, 'draft["to"] is not a list'],
    [{ ...note, type: "letter" }, 'Invalid draft["type"]'],
    [{ ...note, topic: null }, 'draft["topic"] is not a string'],
    [{ type: "", to: [], topic: "" }, 'draft["content"] field is missing'],
  ];

  for (const [draft, msg] of refused) {
    const edit = await hamlet.request("PATCH", `/drafts/${id}`, { draft: JSON.stringify(draft) });
    expect(edit).toMatchObject({ result: "error", code: "BAD_REQUEST", msg });
    const create = await hamlet.request("POST", "/drafts", { drafts: JSON.stringify([toNobody, draft]) });
    expect(create).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  }
  expect(await stored(hamlet)).toMatchObject([{ id, content: "half a word" }]);
});

// spec 4.4: enable_drafts_synchronization
test("a user who has disabled drafts gets an error and none of them", async () => {
  const realm = await newRealm();
  const id = await firstId(realm.admin, toNobody);

  success(await realm.admin.call(updateSettings, { enable_drafts_synchronization: false }));

  const disabled = { result: "error", code: "BAD_REQUEST", msg: "User has disabled synchronizing drafts." };
  expect(await realm.admin.call(getDrafts, {})).toEqual(disabled);
  expect(await add(realm.admin, toNobody)).toEqual(disabled);
  expect(await realm.admin.call(editDraft, { draft_id: id, draft: toNobody })).toEqual(disabled);
  expect(await realm.admin.call(deleteDraft, { draft_id: id })).toEqual(disabled);
  success(await realm.admin.call(updateSettings, { enable_drafts_synchronization: true }));
  expect(await stored(realm.admin)).toEqual([]);
});

test("of many concurrent deletions of a draft on two nodes, exactly one succeeds", async () => {
  const realm = await newRealm();
  const id = await firstId(realm.admin, toNobody);

  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, node) => realm.admin.on(node).call(deleteDraft, { draft_id: id })),
  );

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
});

test("a client that follows the events has the same drafts as a fresh registration", async () => {
  const realm = await newRealm();
  const user = realm.admin;
  const old = await firstId(user, { ...toNobody, timestamp: 10 });
  const queue = await user.register(["drafts", "message"], ["drafts"]);

  const { ids } = success(await add(user, { ...toNobody, timestamp: 30 }, { ...toNobody, timestamp: 20 }, toNobody));
  success(await user.call(editDraft, { draft_id: old, draft: { ...toNobody, timestamp: 25 } }));
  success(await user.call(deleteDraft, { draft_id: ids[1] ?? 0 }));
  const mark = await sendDirect(user, [user]);

  const followed = await queue.followedState(mark);
  expect(followed.drafts).toEqual((await user.register([], ["drafts"])).state.drafts);
  expect(followed.drafts).toHaveLength(3);
});
