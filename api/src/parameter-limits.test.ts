/** Every declaration limits the size of its parameters. */
import { expect, test } from "vitest";
import { z } from "zod";
import { endpoints } from "./all.ts";
import { decodedSchema, isWithinJsonLimits, json, jsonOnWire, list } from "./endpoint.ts";

/** The paths of lists without a limit in a JSON schema. */
function* unlimitedLists(schema: unknown, place: string): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  const { type, maxItems } = schema as { type?: unknown; maxItems?: unknown };
  if (type === "array" && maxItems === undefined) yield place;
  for (const [key, inner] of Object.entries(schema)) yield* unlimitedLists(inner, `${place}.${key}`);
}

test("every list in a parameter has a limit", () => {
  const found = endpoints.flatMap(({ operation, params }) =>
    Object.entries(params)
      .filter(([, schema]) => jsonOnWire(schema) !== undefined)
      .flatMap(([name, schema]) => {
        const decoded = z.toJSONSchema(decodedSchema(schema), { unrepresentable: "any", io: "input" });
        return [...unlimitedLists(decoded, `${operation} ${name}`)];
      }),
  );
  expect(found).toEqual([]);
});

test("the length of a list is checked before its elements", () => {
  let validated = 0;
  const counted = z.int().check(() => void validated++);
  const schema = json(list(counted, 10));

  const result = schema.safeParse(JSON.stringify(Array.from({ length: 11 }, () => 1)));

  expect(result.error?.issues).toMatchObject([{ code: "too_big", maximum: 10 }]);
  expect(validated).toBe(0);
});

test("validation of a list stops at its first invalid element", () => {
  let validated = 0;
  const counted = z.unknown().check((context) => {
    validated++;
    context.issues.push({ code: "custom", input: context.value, continue: false });
  });
  const firstIssue: z.core.ParseContext<z.core.$ZodIssue> & { abortEarly: true } = { abortEarly: true };

  const result = json(list(counted)).safeParse("[1,2,3,4]", firstIssue);

  expect(result.success).toBe(false);
  expect(validated).toBe(1);
});

test.each<[string, number, boolean]>([
  ["[1,2,3]", 3, true],
  ["[1,2,3]", 2, false],
  ['{"a":[1,{"b":2}],"c":3}', 5, true],
  ['["[,,,{", "\\"[,,", "\\\\"]', 3, true],
  ['["\\\\",[1,2]]', 3, false],
  ['"' + ",".repeat(100), 1, true], // not JSON, which the parser will report
  ["[".repeat(100), 200, true],
  ["[".repeat(101), 200, false],
])("the values of %j are counted without parsing it", (text, maxValues, isWithin) => {
  expect(isWithinJsonLimits(text, maxValues)).toBe(isWithin);
});
