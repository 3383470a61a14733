/**
 * How an endpoint is declared. One object drives routing, parsing, types, the list of ignored parameters, the OpenAPI
 * document, the reference pages and the typed client; nothing about an endpoint is said a second time.
 *
 * Parameters arrive as form strings. A plain `z.string()` is taken as it stands; whatever else travels as JSON text
 * says so with `json(…)`. A parameter whose input is not a string does not compile.
 */
import { z } from "zod";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** What a form can carry: text, or nothing at all. */
export type WireParam = z.ZodType<unknown, string | undefined>;
export type ParamTypes = Record<string, WireParam>;
export type ReturnTypes = Record<string, z.ZodType>;

/**
 * Who may call: `user` needs HTTP Basic credentials, `none` takes no notice of them. What else is required (roles,
 * account flags) is a rule of the area, not of the declaration.
 */
export type Auth = "user" | "none";

/** Where endpoints are: for keys under /api/v1, for the cookie of a browser under /json. */
export type Surface = "keys" | "browsers";

export interface Endpoint<P extends ParamTypes = ParamTypes, R extends ReturnTypes = ReturnTypes> {
  /** The stable name of the operation, as client libraries use it. */
  operation: string;
  method: Method;
  /** Relative to /api/v1, with `{name}` for path parameters, which are declared in `params` like all others. */
  path: string;
  /**
   * Every endpoint is there for keys, under /api/v1, and for browsers that are signed in, under /json; unless this says
   * that it is for one of the two alone.
   */
  only?: Surface;
  auth: Auth;
  /** The heading it stands under in the reference pages. */
  area: string;
  summary: string;
  description: string;
  params: P;
  /** What the file is that such a call carries, as the one file of a multipart body. */
  file?: string;
  /** The file may be too large for memory: the handler takes it as it arrives. */
  streamsFile?: true;
  /** What an answer carries beside `result`, `msg` and `ignored_parameters_unsupported`. */
  returns: R;
  deprecated?: boolean;
}

export type ParamsOf<E> = E extends Endpoint<infer P> ? z.output<z.ZodObject<P>> : never;
export type ReturnsOf<E> = E extends Endpoint<ParamTypes, infer R> ? z.output<z.ZodObject<R>> : never;

export function endpoint<P extends ParamTypes, R extends ReturnTypes>(declaration: Endpoint<P, R>): Endpoint<P, R> {
  return declaration;
}

/**
 * What a parameter is on the wire beyond its type. A registry of our own: what stands in zod's global one is copied
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

/**
 * JSON can write half of a character, which is no text: nothing could store or show it. It is read as the sign for what
 * cannot be read, as it is elsewhere in a request.
 */
function parseJson(text: string): unknown {
  return text.includes("\\u") ? JSON.parse(text, wellFormed) : JSON.parse(text);
}

function wellFormed(_key: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (names.every((name) => name.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toWellFormed(), inner as unknown]));
}

/** A parameter that travels as JSON text. */
export function json<T extends z.ZodType>(schema: T): z.ZodCodec<z.ZodString, T> {
  const codec = z.codec(z.string(), schema, {
    decode: (text, context) => {
      try {
        // What the text holds is unknown; `schema` is about to judge it.
        return parseJson(text) as z.input<T>;
      } catch {
        context.issues.push({ code: "custom", input: text, params: { wire: "json" } });
        return z.NEVER;
      }
    },
    encode: (value) => JSON.stringify(value),
  });
  return withFacts(codec, { json: "always" });
}

/** A parameter that may travel as JSON text, and is plain text where it does not read as JSON: `general`, `7`, `[7]`. */
export function jsonOrText<T extends z.ZodType>(schema: T): z.ZodCodec<z.ZodString, T> {
  const codec = z.codec(z.string(), schema, {
    decode: (text) => {
      try {
        // What the text holds is unknown; `schema` is about to judge it.
        return parseJson(text) as z.input<T>;
      } catch {
        // Likewise judged by `schema`, which then has a string to look at.
        return text as z.input<T>;
      }
    },
    encode: (value) => JSON.stringify(value),
  });
  return withFacts(codec, { json: "or text" });
}

/** A second, older name of a parameter. Giving both is an error of its own. */
export const alias = <T extends WireParam>(schema: T, name: string): T => withFacts(schema, { alias: name });

/** Still taken, no longer advised. */
export const deprecated = <T extends WireParam>(schema: T): T => withFacts(schema, { deprecated: true });

/** The last parameter of a path, when it may have slashes in it. */
export const restOfPath = <T extends WireParam>(schema: T): T => withFacts(schema, { restOfPath: true });

type Wrapper = z.ZodOptional | z.ZodDefault | z.ZodNullable;

const isWrapper = (schema: z.core.$ZodType): schema is Wrapper =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;

/** The schema and those it wraps, outermost first: what is set on a schema stays inside a later `.optional()`. */
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

/** Whether a parameter travels as JSON text, as either, or (undefined) as plain text. */
export const jsonOnWire = (schema: z.ZodType): "always" | "or text" | undefined =>
  firstFound(schema, (layer) => wireFacts.get(layer)?.json);

export const descriptionOf = (schema: z.ZodType): string =>
  firstFound(schema, (layer) => z.globalRegistry.get(layer)?.description) ?? "";

/** What stands for a parameter that was left out; undefined when nothing does. */
export const defaultOf = (schema: z.ZodType): unknown =>
  firstFound(schema, (layer) => (layer instanceof z.ZodDefault ? layer.def.defaultValue : undefined));

export const isRequired = (schema: z.ZodType): boolean => !z.safeParse(schema, undefined).success;

/** What a parameter means once decoded: the schema behind its wire form. */
export function decodedSchema(schema: z.ZodType): z.core.$ZodType {
  const innermost = [...layers(schema)].at(-1) ?? schema;
  return innermost instanceof z.ZodCodec ? innermost.out : innermost;
}

/** The names between braces in the path. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");

/** Lengths are counted in characters, not in the halves JavaScript stores them in. */
export const textLength = (text: string): number => {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) length--;
  }
  return length;
};

/** Text of at most so many characters. */
export const textUpTo = (maximum: number) =>
  z
    .string()
    .check((context) => {
      if (textLength(context.value) > maximum) {
        context.issues.push({ code: "too_big", origin: "string", maximum, inclusive: true, input: context.value });
      }
    })
    .meta({ maxLength: maximum });
