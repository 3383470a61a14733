import { expect, test } from "vitest";
import { mentionedPeople, mentionsEveryone } from "./mentions.ts";
import { replaceState } from "./state.ts";

replaceState({
  user_id: 5,
  realm_users: [
    { user_id: 5, full_name: "Ada" },
    { user_id: 6, full_name: "Bo Li" },
  ] as never, // the fields in use
});

test.each([
  ["Hello @**Bo Li**", ["Bo Li"]],
  ["Hello @**Bo Li|6** and @**Ada**", ["Bo Li", "Ada"]],
  ["@_**Bo Li** said", []],
  ["`@**Bo Li**` is how to write it", []],
  ["```quote\n@**Bo Li**\n```\nyes", []],
  ["nobody@**example**", []],
])("%s mentions %j", (text, names) => {
  expect(mentionedPeople(text).map(({ full_name }) => full_name)).toEqual(names);
});

test.each([
  ["@**all** look", true],
  ["look @**channel**", true],
  ["@_**all**", false],
  ["`@**all**`", false],
  ["@**topic**", false],
])("%s mentions everyone: %s", (text, isEverybody) => {
  expect(mentionsEveryone(text)).toBe(isEverybody);
});
