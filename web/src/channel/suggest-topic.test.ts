import { expect, test } from "vitest";
import { suggestTopic } from "./suggest-topic.ts";

test.each([
  ["Which colours shall the logo have?", "Which colours shall the logo"],
  ["**Hello** @**Ada|5**, look!", "Hello Ada, look"],
  ["See [the samples](https://example.org) first", "See the samples first"],
  ["[Continued from #design › logo](https://x/#narrow)\nNew colours", "New colours"],
  ["[Continued from #design › logo](https://x/#narrow)\n", ""],
])("%j suggests %j", (text, topic) => {
  expect(suggestTopic(text)).toBe(topic);
});
