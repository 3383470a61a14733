// @vitest-environment node
import { expect, test } from "vitest";
import { plainMarkdown } from "./plain-markdown.ts";

test.each([
  ["we say **why**.", "we say why."],
  ["*soft* and `code` and ~~gone~~", "soft and code and gone"],
  ["> quoted\n\nanswer", "quoted answer"],
  ["* one\n* two", "one two"],
  ["See [the plan](https://x.org/a_b) now", "See the plan now"],
  ["@**Ada Lovelace** in #**design>logo**", "@Ada Lovelace in #design>logo"],
  ["@_**Bo|7** said", "@Bo said"],
  ["```python\nprint(1)\n```", "print(1)"],
  ["2 * 3 * 4 = 24 and snake_case_name", "2 * 3 * 4 = 24 and snake_case_name"],
  ["", ""],
])("%j reads %j", (markdown, text) => {
  expect(plainMarkdown(markdown)).toBe(text);
});
