/**
 * The filters of SCIM (RFC 7644, section 3.4.2.2): `userName eq "a" and emails[type eq "work"].value sw "b"`. Parsed once,
 * in time linear in their length, into a tree that is evaluated against resources as clients see them.
 */
import { locate, type Attribute, type Schemas } from "./schemas.ts";
import { invalid, type ScimType } from "./scim-error.ts";

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };
/** A filter's operand. */
type Operand = string | number | boolean | null;

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
type Operator = (typeof operators)[number];

/** Where values are found in a resource: below the extension `urn`, attribute and sub-attribute. */
interface Place {
  urn: string | undefined;
  attribute: Attribute;
  /** Of a list, its elements that fit this filter. */
  where?: Filter;
  sub: Attribute | undefined;
}

export type Filter =
  | { op: "and" | "or"; left: Filter; right: Filter }
  | { op: "not"; inner: Filter }
  | { op: "present"; place: Place }
  | { op: Operator; place: Place; operand: Operand };

const maxLength = 8000;
const maxDepth = 20;
const maxTerms = 200;

type Token =
  | { kind: "word"; word: string }
  | { kind: "value"; value: string | number }
  | { kind: "(" | ")" | "[" | "]" };

export function parseFilter(source: string, schemas: Schemas): Filter {
  return new Parser(source, "invalidFilter").parse((name) => {
    const located = locate(schemas, name);
    if (!located?.attribute || located.attribute.isSecret) return undefined;
    const { attribute, sub } = located;
    return { urn: located.isExtension ? located.schema.urn : undefined, attribute, sub };
  });
}

/** The filter in brackets after a list, whose names are those of the list's sub-attributes. */
export function parseItemFilter(source: string, list: Attribute): Filter {
  return new Parser(source, "invalidPath").parse(itemNames(list));
}

type Names = (name: string) => Place | undefined;

const itemNames =
  (list: Attribute): Names =>
  (name) => {
    const attribute = list.subs.get(name.toLowerCase());
    return attribute && { urn: undefined, attribute, sub: undefined };
  };

class Parser {
  readonly #tokens: Token[];
  readonly #type: ScimType;
  #at = 0;
  #depth = 0;
  #terms = 0;

  constructor(source: string, type: ScimType) {
    this.#type = type;
    if (source.length > maxLength) this.#fail("The filter is too long.");
    this.#tokens = this.#scan(source);
  }

  #fail(detail = "The filter cannot be parsed."): never {
    throw invalid(this.#type, detail);
  }

  parse(names: Names): Filter {
    const filter = this.#or(names);
    if (this.#at !== this.#tokens.length) this.#fail();
    return filter;
  }

  #scan(source: string): Token[] {
    const tokens: Token[] = [];
    for (let at = 0; at < source.length;) {
      const character = source.charAt(at);
      if (character === " " || character === "\t") at++;
      else if (character === "(" || character === ")" || character === "[" || character === "]") {
        tokens.push({ kind: character });
        at++;
      } else if (character === '"') {
        const end = this.#endOfString(source, at);
        tokens.push({ kind: "value", value: this.#string(source.slice(at, end)) });
        at = end;
      } else {
        let end = at;
        while (end < source.length && !' \t()[]"'.includes(source.charAt(end))) end++;
        const word = source.slice(at, end);
        tokens.push(/^-?\d+(\.\d+)?$/.test(word) ? { kind: "value", value: Number(word) } : { kind: "word", word });
        at = end;
      }
    }
    return tokens;
  }

  #endOfString(source: string, start: number): number {
    for (let at = start + 1; at < source.length; at++) {
      if (source.charAt(at) === "\\") at++;
      else if (source.charAt(at) === '"') return at + 1;
    }
    return this.#fail();
  }

  #string(text: string): string {
    try {
      return String(JSON.parse(text));
    } catch {
      return this.#fail();
    }
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "word" && token.word.toLowerCase() === word;
  }

  #take(kind: ")" | "]"): void {
    if (this.#tokens[this.#at++]?.kind !== kind) this.#fail();
  }

  #or(names: Names): Filter {
    let left = this.#and(names);
    while (this.#isWord("or")) {
      this.#at++;
      left = { op: "or", left, right: this.#and(names) };
    }
    return left;
  }

  #and(names: Names): Filter {
    let left = this.#term(names);
    while (this.#isWord("and")) {
      this.#at++;
      left = { op: "and", left, right: this.#term(names) };
    }
    return left;
  }

  #term(names: Names): Filter {
    this.#depth++;
    this.#terms++;
    if (this.#depth > maxDepth || this.#terms > maxTerms) this.#fail("The filter is too complex.");
    const filter = this.#unnestedTerm(names);
    this.#depth--;
    return filter;
  }

  #unnestedTerm(names: Names): Filter {
    const token = this.#tokens[this.#at++];
    if (token?.kind === "(") {
      const inner = this.#or(names);
      this.#take(")");
      return inner;
    }
    if (token?.kind !== "word") return this.#fail();
    if (token.word.toLowerCase() === "not" && this.#tokens[this.#at]?.kind === "(")
      return { op: "not", inner: this.#term(names) };
    const place = names(token.word);
    if (!place) return this.#fail(`Unknown attribute: ${token.word.slice(0, 100)}`);
    if (this.#tokens[this.#at]?.kind !== "[") return this.#comparison(place);
    if (place.attribute.kind !== "many" || place.sub) return this.#fail();
    this.#at++;
    const where = this.#or(itemNames(place.attribute));
    this.#take("]");
    const next = this.#tokens[this.#at];
    if (next?.kind !== "word" || !next.word.startsWith(".")) return { op: "present", place: { ...place, where } };
    this.#at++;
    const sub = place.attribute.subs.get(next.word.slice(1).toLowerCase());
    return sub ? this.#comparison({ ...place, where, sub }) : this.#fail();
  }

  #comparison(place: Place): Filter {
    const token = this.#tokens[this.#at++];
    const word = token?.kind === "word" ? token.word.toLowerCase() : "";
    if (word === "pr") return { op: "present", place };
    const op = operators.find((each) => each === word) ?? this.#fail();
    return { op, place, operand: this.#operand(comparedOf(place)) };
  }

  #operand({ kind }: Attribute): Operand {
    const token = this.#tokens[this.#at++];
    const word = token?.kind === "word" ? token.word.toLowerCase() : undefined;
    if (word === "null") return null;
    if (word === "true" || word === "false") return word === "true";
    if (token?.kind !== "value") return this.#fail();
    const { value } = token;
    if (kind === "flag") {
      const text = String(value).toLowerCase();
      return text === "true" ? true : text === "false" ? false : this.#fail();
    }
    if (kind !== "time") return value;
    const time = Date.parse(String(value));
    return Number.isNaN(time) ? this.#fail() : time;
  }
}

/** What is compared: of a list without a sub-attribute, the elements' values. */
function comparedOf({ attribute, sub }: Place): Attribute {
  return sub ?? (attribute.kind === "many" ? (attribute.subs.get("value") ?? attribute) : attribute);
}

export function fits(filter: Filter, resource: JsonObject): boolean {
  switch (filter.op) {
    case "and":
      return fits(filter.left, resource) && fits(filter.right, resource);
    case "or":
      return fits(filter.left, resource) || fits(filter.right, resource);
    case "not":
      return !fits(filter.inner, resource);
    case "present":
      return itemsAt(filter.place, resource).some((value) => value !== "" && value !== null);
    default: {
      const { op, place, operand } = filter;
      const values = itemsAt({ ...place, sub: place.sub ?? valueOf(place.attribute) }, resource);
      if (operand === null) return (values.length === 0) === (op === "eq");
      if (op === "ne") return !values.some((value) => compares("eq", comparedOf(place), value, operand));
      return values.some((value) => compares(op, comparedOf(place), value, operand));
    }
  }
}

const valueOf = (attribute: Attribute): Attribute | undefined =>
  attribute.kind === "many" ? attribute.subs.get("value") : undefined;

function compares(op: Exclude<Operator, "ne">, { isExact, kind }: Attribute, value: Json, operand: Operand): boolean {
  const fold = (text: string): string => (isExact ? text : text.toLowerCase());
  if (kind === "time") return typeof value === "string" && compareOrdered(op, Date.parse(value), Number(operand));
  if (typeof operand === "boolean" || typeof value === "boolean") return op === "eq" && value === operand;
  return typeof value === "string" && compareOrdered(op, fold(value), fold(String(operand)));
}

function compareOrdered<T extends string | number>(op: Exclude<Operator, "ne">, value: T, operand: T): boolean {
  switch (op) {
    case "eq":
      return value === operand;
    case "gt":
      return value > operand;
    case "ge":
      return value >= operand;
    case "lt":
      return value < operand;
    case "le":
      return value <= operand;
    case "co":
      return String(value).includes(String(operand));
    case "sw":
      return String(value).startsWith(String(operand));
    case "ew":
      return String(value).endsWith(String(operand));
  }
}

function itemsAt({ urn, attribute, where, sub }: Place, resource: JsonObject): Json[] {
  const container = urn === undefined ? resource : resource[urn];
  const found = isObject(container) ? container[attribute.name] : undefined;
  const items = (Array.isArray(found) ? found : [found]).filter(
    (item) => item !== undefined && (!where || (isObject(item) && fits(where, item))),
  );
  const values = sub ? items.map((item) => (isObject(item) ? item[sub.name] : undefined)) : items;
  return values.filter((value) => value !== undefined);
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text that every resource this filter fits has at an attribute; undefined if the filter does not say. */
export function requiredText(filter: Filter, name: string, sub?: string): string | undefined {
  if (filter.op === "and") return requiredText(filter.left, name, sub) ?? requiredText(filter.right, name, sub);
  if (filter.op !== "eq" || typeof filter.operand !== "string") return undefined;
  const { urn, attribute } = filter.place;
  const compared = comparedOf(filter.place);
  const isSub = sub === undefined ? compared === attribute : compared.name === sub;
  return urn === undefined && attribute.name === name && isSub ? filter.operand : undefined;
}
