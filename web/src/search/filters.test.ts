import { beforeEach, expect, test } from "vitest";
import { replaceState } from "../store/state.ts";
import { canWiden, describeTerm, readFilter, widened } from "./filters.ts";
import { suggest } from "./suggest.ts";

beforeEach(() =>
  replaceState({
    user_id: 5,
    realm_users: [{ user_id: 6, full_name: "Bo Li", delivery_email: null, email: "bo@x.org" }] as never,
    subscriptions: [{ stream_id: 7, name: "design", description: "", invite_only: false }] as never, // the fields in use
  }),
);

test.each([
  ["sender:bo", { operator: "sender", value: "bo", isNegated: false }],
  ["-has: link", { operator: "has", value: "link", isNegated: true }],
  ["stream:des", { operator: "channel", value: "des", isNegated: false }],
  ["https://x.org", undefined],
  ["two words", undefined],
])("%s is parsed as %o", (text, filter) => {
  expect(readFilter(text)).toEqual(filter);
});

test("an unfinished filter offers its possible values", () => {
  expect(suggest("channel:de", []).map(({ label }) => label)).toEqual(["channel: design"]);
  expect(suggest("-sender:li", [])[0]).toMatchObject({ term: { operator: "sender", operand: 6, negated: true } });
  expect(suggest("has:l", []).map(({ label }) => label)).toEqual(["has: link"]);
  expect(suggest("topic:colours", []).map(({ label }) => label)).toEqual(["topic: colours"]);
});

test("words offer matching people and channels", () => {
  expect(suggest("bo", []).map(({ label }) => label)).toEqual(["sender: Bo Li"]);
  expect(suggest("", []).map(({ label }) => label)).toContain("channel:");
});

test("a term is shown with names", () => {
  expect(describeTerm({ operator: "dm", operand: [6] })).toBe("dm: Bo Li");
  expect(describeTerm({ operator: "sender", operand: "bo@x.org", negated: true })).toBe("-sender: Bo Li");
});

test("a search by words can be widened to all public channels, once", () => {
  const words = [{ operator: "search", operand: "logo" }];

  expect(canWiden(words)).toBe(true);
  expect(canWiden(widened(words))).toBe(false);
  expect(canWiden([{ operator: "dm", operand: [6] }, ...words])).toBe(false);
});
