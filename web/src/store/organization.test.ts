import { beforeEach, expect, test } from "vitest";
import "../text/chunks/controls.ts";
import "../text/chunks/organization-lists.ts";
import { emojiName, problemWithEmojiName } from "./emoji-names.ts";
import { methodsOf } from "./log-in-methods.ts";
import { roles } from "./roles.ts";
import { replaceState } from "./state.ts";

type Methods = Record<string, { enabled: boolean; available: boolean; unavailable_reason?: string }>;

function be(role: number, realm_authentication_methods: Methods = {}): void {
  replaceState({
    user_id: 5,
    realm_users: [{ user_id: 5, full_name: "Ada", role }] as never, // the fields in use
    realm_authentication_methods,
    realm_emoji: {
      1: { id: "1", name: "parsnip", source_url: "/p", still_url: null, deactivated: false, author_id: 5 },
      2: { id: "2", name: "carrot", source_url: "/c", still_url: null, deactivated: true, author_id: 5 },
    },
  });
}

beforeEach(() => be(roles.member));

const builtIn = new Set(["rocket"]);

test.each([
  ["Party Parsnip", "party_parsnip", undefined],
  ["carrot", "carrot", undefined],
  ["parsnip", "parsnip", "organization.emoji.taken"],
  ["rocket", "rocket", "organization.emoji.builtIn"],
  ["Grüße", "grüße", "organization.emoji.characters"],
  ["beans_", "beans_", "organization.emoji.ending"],
  ["a".repeat(101), "a".repeat(101), "organization.emoji.tooLong"],
])("the name %s of an emoji is stored as %s", (typed, name, problem) => {
  expect(emojiName(typed)).toBe(name);
  expect(problemWithEmojiName(name, builtIn)).toBe(problem);
});

test("administrators can replace a built-in emoji", () => {
  be(roles.administrator);
  expect(problemWithEmojiName("rocket", builtIn)).toBeUndefined();
});

test("an owner can switch a way to log in unless it is the last one or not available", () => {
  const methods: Methods = {
    Email: { enabled: true, available: true },
    SAML: { enabled: true, available: true },
    LDAP: { enabled: false, available: false, unavailable_reason: "You need to upgrade." },
    GitHub: { enabled: false, available: false },
  };
  be(roles.owner, methods);
  expect(methodsOf().map(({ name, isOn, lock }) => [name, isOn, lock])).toEqual([
    ["Email", true, undefined],
    ["SAML", true, undefined],
    ["LDAP", false, "You need to upgrade."],
    ["GitHub", false, "The server’s operator has not set this up."],
  ]);
  expect(methodsOf()[1]?.requestFor(false)).toEqual({ Email: true, SAML: false, LDAP: false, GitHub: false });

  be(roles.owner, { ...methods, SAML: { enabled: false, available: true } });
  expect(methodsOf()[0]?.lock).toBe("At least one method has to stay on.");
  expect(methodsOf()[1]?.lock).toBeUndefined();

  be(roles.administrator, methods);
  expect(methodsOf()[0]?.lock).toBe("Only owners can change this.");
});
