/** Reads attributes from requests: checks types and lengths, and leaves out what no schema knows. */
import { isWithinJsonLimits, parseJson } from "@skein/api/endpoint.ts";
import { isObject, type Json, type JsonObject } from "./filter.ts";
import type { Attribute, Schema } from "./schemas.ts";
import { invalid } from "./scim-error.ts";

const maxText = 1000;
/** Photos and certificates. */
const maxLongText = 20_000;
/** Elements of a list; groups may have more members. */
const maxItems = 100;
const maxMembers = 50_000;
const maxValues = 200_000;

export function readBody(bytes: Buffer | undefined): JsonObject {
  const text = bytes?.toString("utf8") ?? "";
  if (!isWithinJsonLimits(text, maxValues))
    throw invalid("invalidSyntax", "The body is too deep or has too many values.");
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    throw invalid("invalidSyntax", "The body is not valid JSON.");
  }
  if (!isObject(body)) throw invalid("invalidSyntax", "The body is not a JSON object.");
  return body;
}

export function readExtension({ urn, attributes }: Schema, value: Json): JsonObject {
  if (!isObject(value)) throw invalid("invalidValue", `${urn} is not an object.`);
  const extension: JsonObject = {};
  for (const [name, each] of Object.entries(value)) {
    const attribute = attributes.get(name.toLowerCase());
    if (attribute && each !== null && each !== undefined) extension[attribute.name] = readValue(attribute, each);
  }
  return extension;
}

export function readValue(attribute: Attribute, value: Json): Json {
  switch (attribute.kind) {
    case "text":
    case "time":
      return readText(attribute.name, value);
    case "flag":
      return readFlag(attribute.name, value);
    case "complex":
      if (attribute.takesBareValue && typeof value === "string") return { value: readText(attribute.name, value) };
      return readComplex(attribute, value);
    case "many": {
      const items = Array.isArray(value) ? value : [value];
      const limit = attribute.name === "members" ? maxMembers : maxItems;
      if (items.length > limit)
        throw invalid("invalidValue", `${attribute.name} has too many values (limit: ${limit}).`);
      return items.filter((item) => item !== null).map((item) => readComplex(attribute, item));
    }
  }
}

function readComplex({ name, subs }: Attribute, value: Json): JsonObject {
  if (!isObject(value)) throw invalid("invalidValue", `${name} is not an object.`);
  const complex: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    const sub = subs.get(key.toLowerCase());
    if (sub && each !== null && each !== undefined) complex[sub.name] = readValue(sub, each);
  }
  return complex;
}

function readText(name: string, value: Json): string {
  if (typeof value !== "string") throw invalid("invalidValue", `${name} is not a string.`);
  if (value.includes("\0")) throw invalid("invalidValue", `${name} contains a null character.`);
  if (value.length > (name === "value" ? maxLongText : maxText)) throw invalid("invalidValue", `${name} is too long.`);
  return value.toWellFormed();
}

/** Microsoft Entra sends "True" and "False". */
function readFlag(name: string, value: Json): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.toLowerCase() : "";
  if (text !== "true" && text !== "false") throw invalid("invalidValue", `${name} is neither true nor false.`);
  return text === "true";
}
