import { expect, test } from "vitest";
import { renderMarkdown } from "./render.ts";

const alertWords = new Map([
  [1, ["Ghost", "the king"]],
  [2, ["ghost"]],
]);

test.for<[string, number[]]>([
  ["I saw a GHOST!", [1, 2]],
  ["(ghost) and *ghost*", [1, 2]],
  ["ghosts and aghost", []],
  ["long live the king.", [1]],
  ["```\na ghost\n```", []],
  ["> a ghost", [1, 2]],
])("%s", ([text, users]) => {
  expect(renderMarkdown(text, { alertWords }).userIdsWithAlertWords).toEqual(users);
});
