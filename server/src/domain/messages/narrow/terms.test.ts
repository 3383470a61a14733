import type { Narrow } from "@skein/api/narrow.ts";
import { expect, test } from "vitest";
import { ApiError } from "../../../errors.ts";
import { readTerms } from "./terms.ts";

const read: [Narrow, object[]][] = [
  [[["stream", "x"]], [{ kind: "channel", channel: { name: "x" }, negated: false }]],
  [[{ operator: "channel", operand: 7, negated: true }], [{ kind: "channel", channel: { id: 7 }, negated: true }]],
  [[["streams", "web-public"]], [{ kind: "channels", which: "web-public", negated: false }]],
  [[["topic", "general chat"]], [{ kind: "topic", name: "", negated: false }]],
  [
    [["pm-with", "a@x.org, b@x.org"]],
    [{ kind: "dm", people: [{ email: "a@x.org" }, { email: "b@x.org" }], negated: false }],
  ],
  [[{ operator: "dm", operand: [3, 4] }], [{ kind: "dm", people: [{ id: 3 }, { id: 4 }], negated: false }]],
  [[{ operator: "dm", operand: [] }], [{ kind: "dm", people: [], negated: false }]],
  [[{ operator: "dm-including", operand: 3 }], [{ kind: "dm-including", person: { id: 3 }, negated: false }]],
  [[["group-pm-with", "a@x.org"]], [{ kind: "group-dm-with", person: { email: "a@x.org" }, negated: false }]],
  [[{ operator: "sender", operand: "a@x.org" }], [{ kind: "sender", person: { email: "a@x.org" }, negated: false }]],
  [[["id", "12"], { operator: "id", operand: 12 }], [12, 12].map((id) => ({ kind: "id", id, negated: false }))],
  [[{ operator: "with", operand: 5 }], [{ kind: "with", id: 5, negated: false }]],
  [
    [
      ["near", "anything"],
      ["in", "all"],
    ],
    [],
  ],
  [[["is", "private"]], [{ kind: "is", what: "dm", negated: false }]],
  [[["in", "home"]], [{ kind: "home", negated: false }]],
  [[["search", " to be "]], [{ kind: "search", text: "to be", negated: false }]],
  [[["has", "reaction"]], [{ kind: "has", what: "reaction", negated: false }]],
];

test.each(read)("%j is understood", (narrow, terms) => {
  expect(readTerms(narrow)).toEqual(terms);
});

const refused: [Narrow, string][] = [
  [[["colour", "blue"]], "unknown operator colour"],
  [[["is", "silent"]], "unknown 'is' operand silent"],
  [[["has", "money"]], "unknown 'has' operand money"],
  [[["in", "stock"]], "unknown 'in' operand stock"],
  [[["channels", "private"]], "unknown 'channels' operand private"],
  [[["id", "x"]], "Invalid message ID"],
  [[["with", "x"]], "Invalid 'with' operator"],
  [
    [
      ["with", "1"],
      ["with", "2"],
    ],
    "Duplicate 'with' operators.",
  ],
  [[["search", ""]], "operand of 'search' cannot be blank"],
  [[{ operator: "topic", operand: 5 }], "invalid 'topic' operand"],
  [[{ operator: "sender", operand: [5] }], "invalid 'sender' operand"],
  [
    [
      ["topic", "x"],
      ["is", "dm"],
    ],
    "No message can be both a channel message and direct message",
  ],
  [
    [
      ["is", "followed"],
      ["dm-including", "a@x.org"],
    ],
    "No message can be both a channel message and direct message",
  ],
];

test.each(refused)("%j is refused", (narrow, desc) => {
  const refusal = (() => {
    try {
      return readTerms(narrow);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ code: "BAD_NARROW", data: { desc }, message: `Invalid narrow operator: ${desc}` });
});
