/**
 * How an endpoint is declared. One object drives routing, parsing, types, the list of ignored parameters, the OpenAPI
 * document, the reference pages and the typed client; nothing about an endpoint is declared twice.
 *
 * Parameters arrive as form strings. A plain `z.string()` is taken as it is; every other type is declared with `json(…)`
 * and sent as JSON text. A parameter whose input is not a string does not compile.
 */
import { z } from "zod";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** What a form field can hold: text, or nothing at all. */
export type WireParam = z.ZodType<unknown, string | undefined>;
export type ParamTypes = Record<string, WireParam>;
export type ReturnTypes = Record<string, z.ZodType>;

/**
 * Who may call: `user` requires HTTP Basic credentials, `none` ignores them. Further requirements (roles, account flags)
 * are checked by the endpoint's handler and are not declared here.
 */
export type Auth = "user" | "none";

/** Where endpoints are served: under /api/v1 for API keys, under /json for browser sessions. */
export type Surface = "keys" | "browsers";

export interface Endpoint<P extends ParamTypes = ParamTypes, R extends ReturnTypes = ReturnTypes> {
  /** The stable name of the operation, as client libraries use it. */
  operation: string;
  method: Method;
  /** Relative to /api/v1, with `{name}` for path parameters, which are declared in `params` like all others. */
  path: string;
  /**
   * Every endpoint is served both under /api/v1 (API keys) and under /json (browser sessions), unless this restricts it
   * to one of the two.
   */
  only?: Surface;
  auth: Auth;
  /** What an API key must be allowed to do. null: every key may call it. */
  scope: Scope | null;
  /**
   * Which requests of a browser need that the person has recently confirmed who they are: all (`true`), or those that give a
   * parameter one of these values (`true`: any). API keys are not asked: they have scopes, and nobody is there to ask.
   */
  stepUp?: true | { readonly [Name in keyof P]?: true | readonly unknown[] };
  /** Its heading in the reference pages. */
  area: string;
  summary: string;
  description: string;
  params: P;
  /** Describes the one file that a call carries in its multipart body. */
  file?: string;
  /** A call may leave the file out. */
  fileIsOptional?: true;
  /** The file may be too large for memory: the handler reads it as a stream. */
  streamsFile?: true;
  /** A success is a stream of events, and has no fields. */
  streamsEvents?: "server-sent events" | "WebSocket";
  /** A success is a text with one JSON object per line, and has no fields. */
  streamsLines?: true;
  /** The response's fields besides `result`, `msg` and `ignored_parameters_unsupported`. */
  returns: R;
  deprecated?: boolean;
}

export type ParamsOf<E> = E extends Endpoint<infer P> ? z.output<z.ZodObject<P>> : never;
export type ReturnsOf<E> = E extends Endpoint<ParamTypes, infer R> ? z.output<z.ZodObject<R>> : never;

export function endpoint<P extends ParamTypes, R extends ReturnTypes>(declaration: Endpoint<P, R>): Endpoint<P, R> {
  return declaration;
}

/**
 * How a parameter is sent, beyond its type. This is a separate registry, because everything in zod's global one is copied
 * into every JSON schema.
 */
interface WireFacts {
  json?: "always" | "or text";
  alias?: string;
  deprecated?: boolean;
  restOfPath?: boolean;
}
const wireFacts = z.registry<WireFacts>();

function withFacts<T extends WireParam>(schema: T, facts: WireFacts): T {
  const copy = schema.clone();
  wireFacts.add(copy, { ...wireFacts.get(schema), ...facts });
  return copy;
}

/** The default maximum length of a list in a parameter. */
const defaultMaxItems = 1000;
/** For lists of users, channels or messages: as many as a client may want to change at once. */
export const manyIds = 10_000;

/** A list in a parameter. Its length is checked before its elements. */
export const list = <T extends z.ZodType>(element: T, maxItems: number = defaultMaxItems): z.ZodArray<T> =>
  z.array(element).max(maxItems);

/** The default maximum number of elements and members in a parameter's JSON text, at all depths together. */
const defaultMaxValues = 20_000;
/** For dictionaries, where every value is validated even after another one has failed. */
export const fewValues = 1000;
const maxDepth = 100;

/**
 * Whether JSON text has at most this many values and does not exceed the maximum depth. This is checked before parsing,
 * because parsing and validating values costs far more than counting them.
 */
export function isWithinJsonLimits(text: string, maxValues: number): boolean {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        values++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        values++;
    }
    if (values > maxValues || depth > maxDepth) return false;
  }
  return true;
}

/** The end of the string that begins here: the next unescaped quote. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}

/**
 * JSON can contain a lone surrogate, which cannot be stored or shown. It becomes U+FFFD, as it does elsewhere in a
 * request.
 */
export function parseJson(text: string): unknown {
  return text.includes("\\u") ? JSON.parse(text, wellFormed) : JSON.parse(text);
}

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (names.every((name) => name.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toWellFormed(), inner as unknown]));
}

/** A parameter that is sent as JSON text, with at most this many values. */
export function json<T extends z.ZodType>(schema: T, maxValues = defaultMaxValues): z.ZodCodec<z.ZodString, T> {
  const codec = z.codec(z.string(), schema, {
    decode: (text, context) => {
      try {
        // The type is not known yet; `schema` validates it next.
        if (isWithinJsonLimits(text, maxValues)) return parseJson(text) as z.input<T>;
        context.issues.push({ code: "custom", input: "", params: { wire: "size" } });
      } catch {
        context.issues.push({ code: "custom", input: text, params: { wire: "json" } });
      }
      return z.NEVER;
    },
    encode: (value) => JSON.stringify(value),
  });
  return withFacts(codec, { json: "always" });
}

/** A parameter that is JSON text, or plain text if it does not parse as JSON: `general`, `7`, `[7]`. */
export function jsonOrText<T extends z.ZodType>(schema: T, maxValues = defaultMaxValues): z.ZodCodec<z.ZodString, T> {
  const codec = z.codec(z.string(), schema, {
    decode: (text, context) => {
      if (!isWithinJsonLimits(text, maxValues)) {
        context.issues.push({ code: "custom", input: "", params: { wire: "size" } });
        return z.NEVER;
      }
      try {
        // The type is not known yet; `schema` validates it next.
        return parseJson(text) as z.input<T>;
      } catch {
        // `schema` validates the string itself.
        return text as z.input<T>;
      }
    },
    encode: (value) => JSON.stringify(value),
  });
  return withFacts(codec, { json: "or text" });
}

/** Another, older name of a parameter. Passing both is an error. */
export const alias = <T extends WireParam>(schema: T, name: string): T => withFacts(schema, { alias: name });

/** Still accepted, but no longer recommended. */
export const deprecated = <T extends WireParam>(schema: T): T => withFacts(schema, { deprecated: true });

/** The last parameter of a path, if it may contain slashes. */
export const restOfPath = <T extends WireParam>(schema: T): T => withFacts(schema, { restOfPath: true });

type Wrapper = z.ZodOptional | z.ZodDefault | z.ZodNullable;

const isWrapper = (schema: z.core.$ZodType): schema is Wrapper =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;

/** The schema and those it wraps, outermost first: metadata of a schema stays inside a later `.optional()`. */
function* layers(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
  yield schema;
  if (isWrapper(schema)) yield* layers(schema.unwrap());
}

function firstFound<T>(schema: z.ZodType, look: (layer: z.core.$ZodType) => T | undefined): T | undefined {
  for (const layer of layers(schema)) {
    const found = look(layer);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const aliasOf = (schema: z.ZodType): string | undefined =>
  firstFound(schema, (layer) => wireFacts.get(layer)?.alias);

export const isDeprecated = (schema: z.ZodType): boolean =>
  firstFound(schema, (layer) => wireFacts.get(layer)?.deprecated) ?? false;

export const isRestOfPath = (schema: z.ZodType): boolean =>
  firstFound(schema, (layer) => wireFacts.get(layer)?.restOfPath) ?? false;

/** Whether a parameter is sent as JSON text, as either, or (undefined) as plain text. */
export const jsonOnWire = (schema: z.ZodType): "always" | "or text" | undefined =>
  firstFound(schema, (layer) => wireFacts.get(layer)?.json);

export const descriptionOf = (schema: z.ZodType): string =>
  firstFound(schema, (layer) => z.globalRegistry.get(layer)?.description) ?? "";

/** The default value of a parameter; undefined when it has none. */
export const defaultOf = (schema: z.ZodType): unknown =>
  firstFound(schema, (layer) => (layer instanceof z.ZodDefault ? layer.def.defaultValue : undefined));

export const isRequired = (schema: z.ZodType): boolean => !z.safeParse(schema, undefined).success;

/** The schema of a parameter after decoding. */
export function decodedSchema(schema: z.ZodType): z.core.$ZodType {
  const innermost = [...layers(schema)].at(-1) ?? schema;
  return innermost instanceof z.ZodCodec ? innermost.out : innermost;
}

/** The names in braces in the path. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");

/** Counts code points, not UTF-16 code units. */
export const textLength = (text: string): number => {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) length--;
  }
  return length;
};

/** Text of at most this many characters. */
export const textUpTo = (maximum: number) =>
  z
    .string()
    .check((context) => {
      if (textLength(context.value) > maximum) {
        context.issues.push({ code: "too_big", origin: "string", maximum, inclusive: true, input: context.value });
      }
    })
    .meta({ maxLength: maximum });
