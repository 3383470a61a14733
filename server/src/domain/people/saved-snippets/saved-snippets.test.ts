import {
  createSavedSnippet,
  deleteSavedSnippet,
  editSavedSnippet,
  getSavedSnippets,
} from "@skein/api/saved-snippets.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { sendDirect } from "../../../../test/actions.ts";

const save = async (user: TestUser, title: string, content = "Who's there?") =>
  success(await user.call(createSavedSnippet, { title, content })).saved_snippet_id;
const listOf = async (user: TestUser) => success(await user.call(getSavedSnippets, {})).saved_snippets;

// spec 6: saved_snippets
test("only its owner sees a snippet and receives events about it", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const queue = await hamlet.register(["saved_snippets"]);
  const other = await ophelia.register(["saved_snippets", "message"]);

  const id = await save(hamlet, "  Challenge ");

  const saved_snippet = { id, title: "Challenge", content: "Who's there?", date_created: expect.any(Number) as number };
  expect(await queue.next()).toEqual({ type: "saved_snippets", op: "add", saved_snippet });
  expect(await listOf(hamlet)).toEqual([saved_snippet]);
  expect(await listOf(ophelia)).toEqual([]);

  expect(await ophelia.call(deleteSavedSnippet, { saved_snippet_id: id })).toMatchObject({
    msg: "Saved snippet does not exist.",
    code: "BAD_REQUEST",
  });
  success(await hamlet.call(deleteSavedSnippet, { saved_snippet_id: id }));
  expect(await queue.next()).toEqual({ type: "saved_snippets", op: "remove", saved_snippet_id: id });
  expect(await listOf(hamlet)).toEqual([]);
  await sendDirect(ophelia, [ophelia]);
  expect((await other.next()).type).toBe("message");
});

test("only its owner edits a snippet, in part or as a whole, and only changes emit events", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const id = await save(hamlet, "Challenge");
  const queue = await hamlet.register(["saved_snippets", "message"]);
  const other = await ophelia.register(["saved_snippets", "message"]);
  const edit = (user: TestUser, change: { title?: string; content?: string }) =>
    user.call(editSavedSnippet, { saved_snippet_id: id, ...change });

  success(await edit(hamlet, { title: " Question " }));
  success(await edit(hamlet, { content: "To be?" }));
  success(await edit(hamlet, { title: "Question", content: "To be?" }));
  success(await edit(hamlet, {}));

  const snippet = { id, title: "Question", content: "To be?", date_created: expect.any(Number) as number };
  expect(await listOf(hamlet)).toEqual([snippet]);
  const mark = await sendDirect(hamlet, [hamlet]);
  expect([await queue.next(), await queue.next(), await queue.next()]).toMatchObject([
    { op: "update", saved_snippet: { ...snippet, content: "Who's there?" } },
    { op: "update", saved_snippet: snippet },
    { type: "message", message: { id: mark } },
  ]);
  expect(await edit(hamlet, { title: " " })).toMatchObject({ msg: "Title cannot be empty.", code: "BAD_REQUEST" });
  expect(await edit(hamlet, { content: "" })).toMatchObject({ msg: "Content cannot be empty." });
  expect(await edit(ophelia, { title: "Mine" })).toMatchObject({ msg: "Saved snippet does not exist." });
  await sendDirect(ophelia, [ophelia]);
  expect((await other.next()).type).toBe("message");
});

test("a client that applied the events knows all snippets", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const gone = await save(hamlet, "gone");
  const queue = await hamlet.register(["saved_snippets", "message"], ["saved_snippets"]);

  await save(hamlet, "first");
  success(await hamlet.call(deleteSavedSnippet, { saved_snippet_id: gone }));
  const last = await save(hamlet, "second");
  success(await hamlet.call(editSavedSnippet, { saved_snippet_id: last, title: "third" }));

  const { saved_snippets } = await queue.followedState(await sendDirect(hamlet, [hamlet]));
  expect(saved_snippets?.map(({ title }) => title)).toEqual(["first", "third"]);
  expect(saved_snippets).toEqual((await hamlet.register([], ["saved_snippets"])).state.saved_snippets);
});

test.each([
  [{ title: " ", content: "x" }, "Title cannot be empty."],
  [{ title: "x", content: "\n" }, "Content cannot be empty."],
  [{ title: "x".repeat(61), content: "x" }, "title is too long (limit: 60 characters)"],
  [{ title: "x", content: "x".repeat(10_001) }, "content is too long (limit: 10000 characters)"],
  [{ title: "x\0", content: "x" }, "Null bytes are not allowed"],
])("an invalid snippet is refused: %#", async (snippet, msg) => {
  const realm = await newRealm();

  expect(await realm.admin.request("POST", "/saved_snippets", snippet)).toEqual({
    result: "error",
    msg,
    code: "BAD_REQUEST",
  });
  expect(await listOf(realm.admin)).toEqual([]);
});

test("a missing snippet gives 404, and one of two concurrent deletions finds it gone", async () => {
  const realm = await newRealm();
  const id = await save(realm.admin, "once");

  const responses = await Promise.all(
    [0, 1].map((node) => realm.admin.on(node).send("DELETE", `/saved_snippets/${id}`, {})),
  );

  expect(responses.map(({ status }) => String(status)).toSorted()).toEqual(["200", "404"]);
});
