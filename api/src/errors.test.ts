import { expect, test } from "vitest";
import { z } from "zod";
import { json, jsonOrText, textUpTo, type WireParam } from "./endpoint.ts";
import { describeParameterError } from "./errors.ts";
import { groupSettingValue } from "./group-setting.ts";
import { sendMessage } from "./messages.ts";
import { subscribe } from "./subscriptions.ts";

const ids = json(z.array(z.int()));
const option = json(z.strictObject({ on: z.boolean() }));
const group = json(groupSettingValue);
const days = jsonOrText(z.union([z.int(), z.enum(["unlimited"])]));

const cases: [parameter: WireParam, text: string, message: string][] = [
  [ids, "[1", "x is not valid JSON"],
  [ids, "7", "x is not a list"],
  [ids, '["a"]', "x[0] is not an integer"],
  [ids, "[1, 1.5]", "x[1] is not an integer"],
  [ids, "[9007199254740993]", "x[0] is not an integer"],
  [ids, "[-9007199254740993]", "x[0] is not an integer"],
  [json(z.int()), "null", "x is not an integer"],
  [json(z.int()), "", "x is not valid JSON"],
  [json(z.boolean()), "1", "x is not a boolean"],
  [json(z.string()), "1", "x is not a string"],
  [option, "[]", "x is not a dict"],
  [option, "{}", 'x["on"] field is missing'],
  [option, '{"on": 1}', 'x["on"] is not a boolean'],
  [option, '{"on": true, "off": 1}', 'Argument "off" at x is unexpected'],
  [json(z.record(z.string(), z.int())), "[]", "x is not a dict"],
  [json(z.array(z.tuple([z.string(), z.string()]))), '["a"]', "x[0] is not a list"],
  [z.enum(["add", "remove"]), "set", "Invalid x"],
  [z.string().min(1), "", "x cannot be blank"],
  [textUpTo(3), "four", "x is too long (limit: 3 characters)"],
  [group, '"a"', "x is not an integer"],
  [group, '{"direct_members": []}', 'x["direct_subgroups"] field is missing'],
  [group, '{"direct_members": [1, "b"], "direct_subgroups": []}', 'x["direct_members"][1] is not an integer'],
  [days, "1.5", "x is not an integer"],
  [days, "often", "Invalid x"],
  [sendMessage.params.to, '[1, "a"]', "x[1] is not an integer"],
  [subscribe.params.subscriptions, '[{"name": 1}]', 'x[0]["name"] is not a string'],
  [
    subscribe.params.subscriptions,
    JSON.stringify([{ name: "a", description: "b".repeat(1025) }]),
    'x[0]["description"] is too long (limit: 1024 characters)',
  ],
];

test.each(cases.map(([parameter, text, message]) => ({ parameter, text, message })))(
  "$text: $message",
  ({ parameter, text, message }) => {
    const result = z.safeParse(parameter, text);

    expect(result.success ? "nothing" : describeParameterError("x", result.error.issues)).toBe(message);
  },
);

test("length is counted in characters", () => {
  expect(z.safeParse(textUpTo(3), "🧵🧵🧵").success).toBe(true);
});
