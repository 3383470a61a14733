// @vitest-environment node
import { expect, test } from "vitest";
import { findTrigger } from "./typeahead.ts";

/** The bar marks the caret. */
const at = (text: string) => findTrigger(text.replace("|", ""), text.indexOf("|"));

test.each([
  ["@", "Hello @ad|", { kind: "person", start: 6, query: "ad", isSilent: false }],
  ["@ alone", "@|", { kind: "person", start: 0, query: "", isSilent: false }],
  ["@ with a space in the name", "@Ada Lo|", { kind: "person", start: 0, query: "Ada Lo", isSilent: false }],
  ["@_ notifies nobody", "@_ad|", { kind: "person", start: 0, query: "ad", isSilent: true }],
  ["a mention with its opening marks", "@**Ada|", { kind: "person", start: 0, query: "Ada", isSilent: false }],
  ["#", "in #des|", { kind: "channel", start: 3, query: "des" }],
  ["a topic", "in #**design>lo|", { kind: "topic", start: 3, channel: "design", query: "lo" }],
  ["a topic after a plain name", "#design>|", { kind: "topic", start: 0, channel: "design", query: "" }],
  [":", "nice :tad|", { kind: "emoji", start: 5, query: "tad" }],
  ["a language", "text\n```py|", { kind: "language", start: 8, query: "py" }],
  ["a command", "/po|", { kind: "command", start: 0, query: "po" }],
])("%s", (_, text, found) => {
  expect(at(text)).toEqual(found);
});

test.each([
  ["an e-mail address", "ada@exa|"],
  ["an emoticon", "hello :)|"],
  ["a time of day", "at 10:30|"],
  ["a heading", "# Title|"],
  ["a URL", "http://x.com/#frag|"],
  ["a command later in the text", "see /po|"],
  ["a finished mention", "@**Ada** and|"],
  ["code", "`@ad|"],
  ["a block of code", "```\n@ad|"],
  ["the end of a block of code", "```\ncode\n```|"],
  ["a sentence after a name", "@ada said that we can ship it|"],
])("%s offers nothing", (_, text) => {
  expect(at(text)).toBeUndefined();
});
