import type { FieldType } from "@skein/api/profile-fields.ts";
import { expect, test } from "vitest";
import { checkValue } from "./check-value.ts";
import { toFieldData } from "./field-data.ts";

const options = JSON.stringify({ vim: { text: "Vim", order: "1" } });
const field = (field_type: FieldType) => ({ field_type, name: "Thing", field_data: field_type === 3 ? options : "" });

test.for<[FieldType, string | number[] | null, string | null]>([
  [1, "x".repeat(50), "x".repeat(50)],
  [1, "𐍈".repeat(50), "𐍈".repeat(50)],
  [1, "", null],
  [1, null, null],
  [2, "x".repeat(500), "x".repeat(500)],
  [3, "vim", "vim"],
  [4, "1909-04-05", "1909-04-05"],
  [4, "2024-02-29", "2024-02-29"],
  [5, "https://example.com/a?b#c", "https://example.com/a?b#c"],
  [6, [3, 1, 3], "[3,1]"],
  [6, "[3, 1]", "[3,1]"],
  [6, [], null],
  [6, "[]", null],
  [7, "hamlet", "hamlet"],
  [8, "they/them", "they/them"],
])("a field of type %i stores %j as %j", ([type, given, stored]) => {
  expect(checkValue(field(type), given)).toBe(stored);
});

test.for<[FieldType, string | number[], string]>([
  [1, "x".repeat(51), "Thing is too long (limit: 50 characters)"],
  [1, [1], "Thing is not a string"],
  [2, "x".repeat(501), "Thing is too long (limit: 500 characters)"],
  [3, "emacs", "'emacs' is not a valid choice for 'Thing'."],
  [3, "toString", "'toString' is not a valid choice for 'Thing'."],
  [4, "1909-4-5", "Thing is not a date"],
  [4, "2023-02-29", "Thing is not a date"],
  [4, "yesterday", "Thing is not a date"],
  [5, "not a link", "Thing is not a URL"],
  [5, "javascript:alert(1)", "Thing is not a URL"],
  [5, `https://example.com/${"x".repeat(2048)}`, "Thing is not a URL"],
  [6, "7", "Thing is not a list"],
  [6, "seven", "Thing is not a list"],
  [6, '["7"]', "Thing is not a list of integers"],
  [7, "x".repeat(51), "Thing is too long (limit: 50 characters)"],
  [8, "x".repeat(51), "Thing is too long (limit: 50 characters)"],
])("a field of type %i refuses %j: %s", ([type, given, message]) => {
  expect(() => checkValue(field(type), given)).toThrow(message);
});

test.for<[FieldType, Parameters<typeof toFieldData>[1], string]>([
  [1, { any: "thing" }, ""],
  [3, { a: { text: "A", order: "1" } }, '{"a":{"text":"A","order":"1"}}'],
  [7, { subtype: "github" }, '{"subtype":"github"}'],
  [
    7,
    { subtype: "custom", url_pattern: "https://example.com/%(username)s" },
    '{"subtype":"custom","url_pattern":"https://example.com/%(username)s"}',
  ],
])("a field of type %i with %j stores %s", ([type, given, stored]) => {
  expect(toFieldData(type, given)).toBe(stored);
});

test.for<[FieldType, Parameters<typeof toFieldData>[1], string]>([
  [3, {}, "Field must have at least one choice."],
  [3, { a: "A" }, "field_data is not a dict"],
  [3, { a: { text: "A" } }, "order key is missing from field_data"],
  [3, { a: { order: "1" } }, "text key is missing from field_data"],
  [3, { a: { text: " ", order: "1" } }, 'field_data["text"] cannot be blank.'],
  [3, { " ": { text: "A", order: "1" } }, "'value' cannot be blank."],
  [3, { a: { text: "A", order: "1" }, b: { text: "A", order: "2" } }, "Field must not have duplicate choices."],
  [3, { a: { text: "A", order: "1", more: "" } }, 'Argument "more" at field_data is unexpected'],
  [7, {}, "subtype key is missing from field_data"],
  [7, { subtype: "nowhere" }, "Invalid external account type"],
  [7, { subtype: "constructor" }, "Invalid external account type"],
  [7, { subtype: "custom" }, "Custom external account must define URL pattern"],
  [7, { subtype: "custom", url_pattern: "https://example.com/" }, "Malformed URL pattern."],
  [7, { subtype: "custom", url_pattern: "javascript:%(username)s" }, "Malformed URL pattern."],
])("a field of type %i is not created with %j: %s", ([type, given, message]) => {
  expect(() => toFieldData(type, given)).toThrow(message);
});
