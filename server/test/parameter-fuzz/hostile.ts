/** Hostile values: as plain text, as JSON text, and inside valid values of a schema. */
import type { Random } from "../sum/random.ts";

/** The part of JSON Schema that zod writes. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  maxItems?: number;
}

/** An encoded value for a request. */
export interface HostileValue {
  text: string;
  /** As raw bytes of a form or URL, if text cannot represent it. */
  escaped?: string;
}

const numbers = [
  "0",
  "-0",
  "-1",
  "1.5",
  "1e3",
  "1e309",
  "-1e309",
  "1e-400",
  "2147483647",
  "2147483648",
  "-2147483649",
  "4294967296",
  "9007199254740991",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "9".repeat(400),
];

const texts = [
  "",
  " ",
  "null",
  "true",
  "undefined",
  "NaN",
  "Infinity",
  "\0",
  "a\0b",
  "\u{fffe}\u{ffff}",
  "\u202e<script>alert(1)</script>",
  "\u0001\u001b\u007f\u0085",
  "a\r\nSet-Cookie: x=y",
  "'; drop table users; --",
  "%' or 1=1 --",
  "\\",
  "\\x00",
  "%",
  "%s%n%d",
  "$1",
  "${7*7}{{7*7}}",
  "../../../etc/passwd",
  "..%2f..%2f",
  "//example.com/",
  "http://[::1",
  "javascript:alert(1)",
  "https://example.com/{+x}{y*}{",
  "(?P<id>a+)+$",
  "(((((((((((",
  "[a-",
  "x{1000}{1000}",
  "*",
  "a@b",
  "@example.com",
  '"a b"@example.com',
  `${"a".repeat(300)}@example.com`,
  "@**all**",
  "@_**x|99999999999999**",
  "#**general>x@99999999999999999**",
  "```".repeat(50),
  "> ".repeat(500),
  "[](".repeat(300),
  "<time:9999999999999999999>",
  "/poll \0",
  "1f642-200d",
  "#ffffff\0",
  "-1,2,,3",
  "1,".repeat(200),
  "9999-99-99",
  "[1",
  "{",
  '{"a":',
  '"',
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "💥".repeat(20),
  "e\u0301".repeat(40),
  "ﷺ".repeat(60),
];

/** Raw bytes that are not valid text. */
const bytes = [
  "%ff%fe%80",
  "%c0%af",
  "%ed%a0%80",
  "%f0%9f",
  "%",
  "%zz",
  "%u0041",
  "a%",
  "%00%",
  "+%2",
  "%F0".repeat(3000),
];

const jsonValues = [
  "null",
  "true",
  "false",
  "[]",
  "{}",
  '""',
  "[null]",
  "[[]]",
  "[{}]",
  '[1,"a",null,{}]',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '["\\udfff","\\ud800x"]',
  '{"\\ud800":1}',
  '{"__proto__":{"is_admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '[{"__proto__":{"x":1}}]',
  '{"toString":1,"valueOf":2,"then":3,"length":-1}',
  '{"a":1,"a":2}',
  '{"":""}',
  '{"new":1,"old":2}',
  '{"new":{"direct_members":[1e18],"direct_subgroups":[-5]},"old":null}',
  '{"direct_members":[9223372036854775807],"direct_subgroups":[]}',
  '{"direct_members":[],"direct_subgroups":[2147483648]}',
  "[9007199254740991]",
  "[2147483648]",
  "[-1]",
  "[1.5]",
  '[["channel","\\u0000"]]',
  '[{"operator":"search","operand":"((((("}]',
  '[{"operator":"topic","operand":"\\ud800"}]',
  '[{"operator":"id","operand":9223372036854775808}]',
  '[{"operator":"dm","operand":[9007199254740991]}]',
  '[{"operator":"near","operand":-1}]',
  '{"a":',
  "[1,",
  "01",
  "'a'",
  "\u00a0",
];

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

const longest = 1_000_000;

/** Rare, because each takes as long as hundreds of others. */
function largeText(random: Random): string {
  const length = random.oneOf([20_000, 100_000, longest]);
  return random
    .oneOf(["a", "a ", "\0", "💥", "<", "&quot;", "a@b.c,", "%", "\n> ", "\\", "9"])
    .repeat(length)
    .slice(0, length);
}

function largeJson(random: Random): string {
  const size = random.oneOf([50, 101, 5000, 50_000]);
  return random.oneOf([
    () => deep("[", "]", size),
    () => `${deep('{"a":', "", size)}1${"}".repeat(size)}`,
    () => `[${"0,".repeat(size)}0]`,
    () => `[${"{},".repeat(size)}{}]`,
    () => `[${'"w",'.repeat(size)}"w"]`,
    () => `{${Array.from({ length: size }, (_, n) => `"k${n}":"v"`).join(",")}}`,
    () => JSON.stringify("x".repeat(size * 10)),
  ])();
}

const isRare = (random: Random): boolean => random.chance(0.01);

export function hostileText(random: Random): HostileValue {
  if (isRare(random)) return { text: largeText(random) };
  if (random.chance(0.08)) return { text: "", escaped: random.oneOf(bytes) ?? "" };
  if (random.chance(0.2)) return { text: random.oneOf(numbers) ?? "" };
  if (random.chance(0.1)) return { text: random.oneOf(jsonValues) ?? "" };
  return { text: random.oneOf(texts) ?? "" };
}

export function hostileJson(random: Random): string {
  if (isRare(random)) return largeJson(random);
  if (random.chance(0.35)) return random.oneOf(numbers) ?? "0";
  if (random.chance(0.35)) return JSON.stringify(random.oneOf(texts));
  return random.oneOf(jsonValues) ?? "null";
}

/** Existing values for a parameter name, as JSON text: ids and names, also of other organizations. */
export type Known = Record<string, readonly string[]>;

/** Generates JSON text for a schema, with hostile values in some places. */
export class SchemaWriter {
  readonly #random: Random;
  readonly #known: Known;
  readonly #definitions: Record<string, JsonSchema>;
  readonly #hostility: number;

  constructor(random: Random, known: Known, schema: JsonSchema, hostility: number) {
    this.#random = random;
    this.#known = known;
    this.#definitions = schema.$defs ?? {};
    this.#hostility = hostility;
  }

  write(schema: JsonSchema, name: string, depth = 0): string {
    const random = this.#random;
    if (random.chance(this.#hostility)) return hostileJson(random);
    const known = this.#known[name];
    const isList = schema.type === "array" || schema.type === "object";
    if (known && !isList && random.chance(0.8)) return random.oneOf(known) ?? "null";
    if (schema.$ref !== undefined) return this.#writeReferred(schema.$ref, name, depth);
    const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
    if (choices) return this.write(random.oneOf(choices) ?? {}, name, depth);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return JSON.stringify(random.oneOf(schema.enum) ?? null);
    const type = Array.isArray(schema.type) ? random.oneOf(schema.type) : schema.type;
    return this.#writeType(schema, type, name, depth);
  }

  #writeReferred(reference: string, name: string, depth: number): string {
    const definition = this.#definitions[reference.split("/").at(-1) ?? ""];
    return definition && depth < 6 ? this.write(definition, name, depth + 1) : "null";
  }

  #writeType(schema: JsonSchema, type: string | undefined, name: string, depth: number): string {
    const random = this.#random;
    switch (type) {
      case "array":
        return this.#writeList(schema, name, depth);
      case "object":
        return this.#writeObject(schema, depth);
      case "integer":
      case "number":
        return random.oneOf(["0", "1", "2", "3", "60", "1000"]);
      case "boolean":
        return random.oneOf(["true", "false"]);
      case "null":
        return "null";
      case "string":
        return JSON.stringify(random.oneOf(["x", "general", "plans", "en", "smile", "👍"]));
      default:
        return hostileJson(random);
    }
  }

  #writeList({ items, prefixItems, maxItems = 1000 }: JsonSchema, name: string, depth: number): string {
    const random = this.#random;
    if (prefixItems) return `[${prefixItems.map((item) => this.write(item, name, depth + 1)).join(",")}]`;
    const item = () => this.write(items ?? {}, name.replace(/s$/, ""), depth + 1);
    if (depth === 0 && isRare(random)) {
      const same = item();
      const length = Math.min(maxItems + random.below(2), Math.ceil(longest / (same.length + 1)));
      return `[${Array.from({ length }, () => same).join(",")}]`;
    }
    return `[${Array.from({ length: random.below(4) }, item).join(",")}]`;
  }

  #writeObject({ properties = {}, required = [], additionalProperties }: JsonSchema, depth: number): string {
    const random = this.#random;
    const members: string[] = [];
    for (const [name, schema] of Object.entries(properties)) {
      // Sometimes leave out required fields, too.
      if (!random.chance(required.includes(name) ? 0.97 : 0.5)) continue;
      members.push(`${JSON.stringify(name)}:${this.write(schema, name, depth + 1)}`);
    }
    const isOpen = typeof additionalProperties === "object";
    if (isOpen || random.chance(0.05)) {
      const name = random.oneOf(["x", "__proto__", "constructor", "", "1", "a\0b", "toString"]);
      members.push(`${JSON.stringify(name)}:${this.write(isOpen ? additionalProperties : {}, name, depth + 1)}`);
    }
    return `{${members.join(",")}}`;
  }
}
