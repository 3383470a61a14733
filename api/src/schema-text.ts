/** Describes JSON schemas in words. */
import type { JsonSchema, JsonValue } from "./openapi.ts";

export const isObject = (value: JsonValue | undefined): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: JsonValue | undefined): JsonSchema[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const alternatives = (schema: JsonSchema): JsonSchema[] => [
  ...listOf(schema["anyOf"]),
  ...listOf(schema["oneOf"]),
  ...listOf(schema["allOf"]),
];

export const propertiesOf = (schema: JsonSchema): [name: string, schema: JsonSchema, always: boolean][] => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, inner]) => [
    name,
    isObject(inner) ? inner : {},
    required.includes(name),
  ]);
};

const nameOf = (reference: JsonValue | undefined): string | undefined =>
  typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;

export function typeText(schema: JsonSchema): string {
  const name = nameOf(schema["$ref"]);
  if (name !== undefined) return name;
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema["type"])) return schema["type"].map((type) => typeText({ ...schema, type })).join(" | ");
  const choices = alternatives(schema);
  if (choices.length > 0) return choices.map((choice) => typeText(choice)).join(" | ");
  if (schema["type"] === "array") {
    const items = Array.isArray(schema["prefixItems"])
      ? `[${listOf(schema["prefixItems"])
          .map((item) => typeText(item))
          .join(", ")}]`
      : typeText(isObject(schema["items"]) ? schema["items"] : {});
    return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
  }
  if (isObject(schema["properties"])) {
    const fields = propertiesOf(schema).map(
      ([field, inner, always]) => `${field}${always ? "" : "?"}: ${typeText(inner)}`,
    );
    return `{${fields.join(", ")}}`;
  }
  if (isObject(schema["additionalProperties"])) return `{[key]: ${typeText(schema["additionalProperties"])}}`;
  return typeof schema["type"] === "string" ? schema["type"] : "any";
}

/** The named types that some schemas refer to, at any depth, in order of appearance. */
export function namedTypes(
  schemas: JsonSchema[],
  known: Record<string, JsonSchema>,
): [name: string, schema: JsonSchema][] {
  const found = new Map<string, JsonSchema>();
  const visit = (value: JsonValue): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    const name = nameOf(value["$ref"]);
    const definition = name === undefined ? undefined : known[name];
    if (name !== undefined && definition && !found.has(name)) {
      found.set(name, definition);
      visit(definition);
    }
    Object.values(value).forEach(visit);
  };
  visit(schemas);
  return [...found];
}

/** A minimal example of a value that matches a schema. */
export function exampleOf(schema: JsonSchema): JsonValue {
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0] ?? null;
  const choice = alternatives(schema)[0];
  if (choice) return exampleOf(choice);
  switch (schema["type"]) {
    case "integer":
      return 7;
    case "boolean":
      return true;
    case "array":
      return [exampleOf(isObject(schema["items"]) ? schema["items"] : {})];
    case "object":
      return Object.fromEntries(
        propertiesOf(schema)
          .filter(([, , always]) => always)
          .map(([name, inner]) => [name, exampleOf(inner)]),
      );
    default:
      return "text";
  }
}
