import { expect, test } from "vitest";
import { quotation } from "./quotation.ts";

const by = { name: "Ada", userId: 5, link: "https://x/#narrow/near/7" };

test("a quote names its author without notifying them, and links to the message", () => {
  expect(quotation({ ...by, content: "words" })).toBe(
    "@_**Ada|5** [said](https://x/#narrow/near/7):\n```quote\nwords\n```\n",
  );
});

test("code in a quote does not end it", () => {
  expect(quotation({ ...by, content: "````js\n1\n````" })).toContain("\n`````quote\n````js\n1\n````\n`````\n");
});
