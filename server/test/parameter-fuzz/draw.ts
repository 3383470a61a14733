/** Generates a request to an operation of the contract with at least one hostile parameter. */
import { aliasOf, decodedSchema, isRequired, jsonOnWire, pathNames, type Endpoint } from "@skein/api/endpoint.ts";
import { z } from "zod";
import type { Random } from "../sum/random.ts";
import { hostileJson, hostileText, SchemaWriter, type HostileValue, type JsonSchema, type Known } from "./hostile.ts";

export interface DrawnRequest {
  operation: string;
  method: string;
  /** URL-encoded, with the query. */
  path: string;
  type: string | undefined;
  body: string | undefined;
  /** The number of hostile parameters. */
  hostile: number;
}

/** Precomputed facts about a parameter. */
interface Parameter {
  name: string;
  alias: string | undefined;
  isInPath: boolean;
  isRequired: boolean;
  json: "always" | "or text" | undefined;
  schema: JsonSchema;
}

export interface Operation {
  endpoint: Endpoint;
  parameters: Parameter[];
}

export function describeOperation(endpoint: Endpoint): Operation {
  const inPath = pathNames(endpoint.path);
  const parameters = Object.entries(endpoint.params).map(([name, schema]): Parameter => ({
    name,
    alias: aliasOf(schema),
    isInPath: inPath.includes(name),
    isRequired: isRequired(schema),
    json: jsonOnWire(schema),
    schema: z.toJSONSchema(decodedSchema(schema), { unrepresentable: "any", io: "input" }) as JsonSchema, // what zod writes
  }));
  return { endpoint, parameters };
}

/** Reading events would block until there are some. */
const alwaysGiven: Record<string, Record<string, string>> = { "get-events": { dont_block: "true" } };
/** Longer URLs are rejected by the HTTP parser, which would test nothing. */
const maxUrlLength = 100_000;
const boundary = "boundary-of-the-fuzzer";

export function drawRequest(random: Random, { endpoint, parameters }: Operation, known: Known): DrawnRequest {
  const fixed = alwaysGiven[endpoint.operation] ?? {};
  const open = parameters.filter(({ name }) => !(name in fixed));
  const hostile = new Set(random.shuffled(open).slice(0, random.chance(0.75) ? 1 : 1 + random.below(3)));
  const others = open.filter(
    (parameter) =>
      !hostile.has(parameter) &&
      (parameter.isInPath || (parameter.isRequired ? random.chance(0.97) : random.chance(0.15))),
  );
  const values = new Map<Parameter, HostileValue>();
  for (const parameter of others) values.set(parameter, drawValue(random, parameter, known, 0));
  for (const parameter of hostile) values.set(parameter, drawValue(random, parameter, known, 0.15));

  let path = endpoint.path;
  for (const [{ name, isInPath }, value] of values)
    if (isInPath) path = path.replace(`{${name}}`, () => escapeValue(value).slice(0, 8000));
  const fields = [...values]
    .filter(([{ isInPath }]) => !isInPath)
    .map(([parameter, value]): Field => [parameter, value]);
  const extra = [...Object.entries(fixed).map(([name, text]) => `${name}=${text}`), ...drawExtra(random, fields)];
  return {
    operation: endpoint.operation,
    method: endpoint.method,
    hostile: hostile.size,
    ...encode(random, endpoint, path, fields, extra),
  };
}

type Field = [parameter: Parameter, value: HostileValue];

function drawValue(random: Random, parameter: Parameter, known: Known, hostility: number): HostileValue {
  const { json, schema, name } = parameter;
  const isHostile = hostility > 0;
  if (json === undefined || (json === "or text" && random.chance(0.3))) {
    if (isHostile && random.chance(0.8)) return hostileText(random);
    return { text: plainText(new SchemaWriter(random, known, schema, 0).write(schema, name)) };
  }
  if (isHostile && random.chance(0.15)) return hostileText(random);
  if (isHostile && random.chance(0.3)) return { text: hostileJson(random) };
  return { text: new SchemaWriter(random, known, schema, hostility).write(schema, name) };
}

const plainText = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json);

/** Duplicate names, names in brackets, and undeclared names. */
function drawExtra(random: Random, fields: Field[]): string[] {
  const extra: string[] = [];
  const [parameter, value] = random.oneOf(fields) ?? [];
  if (parameter && value && random.chance(0.05)) {
    const escaped = escapeValue(value);
    extra.push(
      random.oneOf([
        `${parameter.name}=${escaped}`,
        `${parameter.name}[]=${escaped}&${parameter.name}[a]=1`,
        `${parameter.alias ?? "x"}=${escaped}`,
        `%${parameter.name}=${escaped}`,
      ]),
    );
  }
  if (random.chance(0.05))
    extra.push(
      random.oneOf(["__proto__=1", "constructor=x", "=", "&&&", "method=TRACE", "a%00b=1", "%ff=%ff", "toString"]),
    );
  return extra;
}

const escapeValue = ({ text, escaped }: HostileValue): string => escaped ?? encodeURIComponent(text.toWellFormed());

type Encoded = Pick<DrawnRequest, "path" | "type" | "body">;

function encode(random: Random, { method }: Endpoint, path: string, fields: Field[], extra: string[]): Encoded {
  const form = [...fields.map(([{ name }, value]) => `${name}=${escapeValue(value)}`), ...extra].join("&");
  const isShort = form.length < maxUrlLength;
  if (method === "GET" || (isShort && random.chance(0.05)))
    return { path: `${path}?${form.slice(0, maxUrlLength)}`, type: undefined, body: undefined };
  const query = extra.length > 0 ? `?${extra.join("&")}` : "";
  if (random.chance(0.2)) return { path: path + query, type: "application/json", body: jsonBody(random, fields) };
  if (random.chance(0.1))
    return {
      path: path + query,
      type: `multipart/form-data; boundary=${boundary}`,
      body: multipartBody(random, fields),
    };
  return { path, type: "application/x-www-form-urlencoded", body: form };
}

function jsonBody(random: Random, fields: Field[]): string {
  if (random.chance(0.05)) return hostileJson(random);
  const members = fields.map(([{ name, json }, { text }]) => {
    const isJsonText = json !== undefined && isJson(text);
    return `${JSON.stringify(name)}:${isJsonText || random.chance(0.03) ? text : JSON.stringify(text)}`;
  });
  if (random.chance(0.05)) members.push('"__proto__":{"x":1}');
  return `{${members.join(",")}}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function multipartBody(random: Random, fields: Field[]): string {
  const part = (heading: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${heading}\r\n\r\n${text}\r\n`;
  const parts = fields.map(([{ name }, { text }]) => part(`name="${name}"`, text));
  if (random.chance(0.5)) {
    const fileName = random.oneOf(["a.png", "a\0.png", "../../x", "", "💥".repeat(200), '"', "%00"]);
    parts.push(part(`name="filename"; filename="${fileName}"`, hostileText(random).text.slice(0, 20_000)));
  }
  return random.chance(0.9) ? `${parts.join("")}--${boundary}--\r\n` : parts.join("");
}
