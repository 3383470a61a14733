import { createSavedSnippet, deleteSavedSnippet, getSavedSnippets } from "@skein/api/saved-snippets.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestUser } from "../../../test/realm.ts";
import { tell } from "../../../test/talk.ts";

const save = async (user: TestUser, title: string, content = "Who's there?") =>
  success(await user.call(createSavedSnippet, { title, content })).saved_snippet_id;
const listOf = async (user: TestUser) => success(await user.call(getSavedSnippets, {})).saved_snippets;

// spec 6: saved_snippets
test("a snippet is kept for its owner, whose clients hear of it, and for nobody else", async () => {
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
  await tell(ophelia, [ophelia]);
  expect((await other.next()).type).toBe("message");
});

test("whoever follows the events knows all snippets", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const gone = await save(hamlet, "gone");
  const queue = await hamlet.register(["saved_snippets", "message"], ["saved_snippets"]);

  await save(hamlet, "first");
  success(await hamlet.call(deleteSavedSnippet, { saved_snippet_id: gone }));
  await save(hamlet, "second");

  const { saved_snippets } = await queue.followedState(await tell(hamlet, [hamlet]));
  expect(saved_snippets?.map(({ title }) => title)).toEqual(["first", "second"]);
  expect(saved_snippets).toEqual((await hamlet.register([], ["saved_snippets"])).state.saved_snippets);
});

test.each([
  [{ title: " ", content: "x" }, "Title cannot be empty."],
  [{ title: "x", content: "\n" }, "Content cannot be empty."],
  [{ title: "x".repeat(61), content: "x" }, "title is too long (limit: 60 characters)"],
  [{ title: "x", content: "x".repeat(10_001) }, "content is too long (limit: 10000 characters)"],
  [{ title: "x\0", content: "x" }, "Null bytes are not allowed"],
])("refused: %#", async (snippet, msg) => {
  const realm = await newRealm();

  expect(await realm.admin.request("POST", "/saved_snippets", snippet)).toEqual({
    result: "error",
    msg,
    code: "BAD_REQUEST",
  });
  expect(await listOf(realm.admin)).toEqual([]);
});

test("what does not exist is answered with 404, and of two who delete at once one finds it gone", async () => {
  const realm = await newRealm();
  const id = await save(realm.admin, "once");

  const answers = await Promise.all(
    [0, 1].map((node) => realm.admin.on(node).send("DELETE", `/saved_snippets/${id}`, {})),
  );

  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(["200", "404"]);
});
