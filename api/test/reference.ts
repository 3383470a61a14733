/** The reference's OpenAPI document and ours, brought into one form that can be compared. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { JsonSchema, JsonValue } from "../src/openapi.ts";

export interface Operation {
  name: string;
  /** Method and path. */
  place: string;
  /** Names of parameters and the fields inside them, each with its JSON types. */
  params: Map<string, Set<string>>;
  required: Set<string>;
  /** Fields of the answer, however deep, each with its JSON types. */
  fields: Map<string, Set<string>>;
  /** The same fields: whether each has to be there. */
  presence: Map<string, Presence>;
}

export interface Presence {
  /** Not listed as required by at least one of the objects that have it. */
  isOptional: boolean;
  /** What is said of it in all of them. */
  description: string;
}

const referenceFile = new URL("../../../shared/reference/openapi-365.yaml", import.meta.url);

export function readReference(): JsonSchema {
  let source: string;
  try {
    source = readFileSync(referenceFile, "utf8");
  } catch (cause) {
    throw new Error(`The reference document is needed beside the project, at ${referenceFile.pathname}.`, { cause });
  }
  return parse(source, { maxAliasCount: -1 }) as JsonSchema;
}

const isObject = (value: JsonValue | undefined): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: JsonValue | undefined): JsonSchema => (isObject(value) ? value : {});
const text = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");
const list = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

export class Document {
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  operations(): Map<string, Operation> {
    const found = new Map<string, Operation>();
    for (const [path, methods] of Object.entries(object(this.#root["paths"]))) {
      for (const [method, declared] of Object.entries(object(methods))) {
        const operation = this.#operation(`${method.toUpperCase()} ${path}`, object(declared));
        found.set(operation.place, operation);
      }
    }
    return found;
  }

  /** The fields of every event in the answer to GET /events, by type and op. */
  events(): Map<string, Map<string, Set<string>>> {
    return this.#byEvent((event, fields) => this.#collect(event, "", fields));
  }

  /** Which of them have to be there. */
  eventPresence(): Map<string, Map<string, Presence>> {
    return this.#byEvent((event, presence) => this.#collectPresence(event, "", presence));
  }

  #byEvent<T>(collect: (event: JsonSchema, into: Map<string, T>) => void): Map<string, Map<string, T>> {
    const answer = this.#answer(object(object(object(this.#root["paths"])["/events"])["get"]));
    const items = this.#merged(object(object(this.#merged(answer)["properties"])["events"]))["items"];
    const found = new Map<string, Map<string, T>>();
    for (const event of [...list(object(items)["oneOf"]), ...list(object(items)["anyOf"])]) {
      const merged = this.#merged(object(event));
      const properties = object(merged["properties"]);
      const fields = new Map<string, T>();
      collect(merged, fields);
      for (const op of this.#values(properties["op"])) {
        for (const type of this.#values(properties["type"])) found.set(`${type} ${op}`.trim(), fields);
      }
    }
    return found;
  }

  #values(schema: JsonValue | undefined): string[] {
    if (schema === undefined) return [""];
    const merged = this.#merged(object(schema));
    return (merged["const"] === undefined ? list(merged["enum"]) : [merged["const"]]).map(text);
  }

  #operation(place: string, declared: JsonSchema): Operation {
    const params = new Map<string, Set<string>>();
    const required = new Set<string>();
    for (const reference of list(declared["parameters"])) {
      const parameter = this.#resolve(object(reference));
      const content = object(object(parameter["content"])["application/json"])["schema"];
      const name = text(parameter["name"]);
      this.#collect(object(content ?? parameter["schema"]), name, params);
      if (parameter["required"] === true) required.add(name);
    }
    const body = this.#resolve(object(declared["requestBody"]));
    const form = this.#merged(object(object(object(body["content"])["application/x-www-form-urlencoded"])["schema"]));
    for (const [name, schema] of Object.entries(object(form["properties"])))
      this.#collect(object(schema), name, params);
    for (const name of list(form["required"])) required.add(text(name));
    const fields = new Map<string, Set<string>>();
    this.#collect(this.#answer(declared), "", fields);
    const presence = new Map<string, Presence>();
    this.#collectPresence(this.#answer(declared), "", presence);
    return { name: text(declared["operationId"]), place, params, required, fields, presence };
  }

  #answer(declared: JsonSchema): JsonSchema {
    const response = this.#resolve(object(object(declared["responses"])["200"]));
    return object(object(object(response["content"])["application/json"])["schema"]);
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const reference = schema["$ref"];
    if (typeof reference !== "string") return schema;
    const steps = reference.slice(2).split("/");
    return this.#resolve(steps.reduce((place, step) => object(place[step]), this.#root));
  }

  /** A schema with all it is put together from in one. */
  #merged(given: JsonSchema): JsonSchema {
    const schema = this.#resolve(given);
    if (!Array.isArray(schema["allOf"])) return schema;
    const parts = schema["allOf"].map((part) => this.#merged(object(part)));
    const properties: JsonSchema = {};
    for (const part of [...parts, schema]) {
      for (const [name, inner] of Object.entries(object(part["properties"]))) {
        // A name repeated without a type only says that it is there.
        if (properties[name] === undefined || Object.keys(this.#merged(object(inner))).some(saysType))
          properties[name] = inner;
      }
    }
    const required = [...parts, schema].flatMap((part) => list(part["required"]));
    return Object.assign({}, ...parts, schema, { properties, required, allOf: null }) as JsonSchema;
  }

  #collect(given: JsonSchema, place: string, into: Map<string, Set<string>>): void {
    const schema = this.#merged(given);
    const types = into.get(place) ?? new Set();
    if (place !== "") into.set(place, types);
    for (const choice of [...list(schema["oneOf"]), ...list(schema["anyOf"])])
      this.#collect(object(choice), place, into);
    const said = Array.isArray(schema["type"]) ? schema["type"] : schema["oneOf"] ? [] : [schema["type"] ?? ""];
    for (const type of said) if (typeof type === "string" && type !== "") types.add(type);
    for (const value of [...list(schema["enum"]), ...("const" in schema ? [schema["const"] ?? null] : [])]) {
      types.add(typeof value === "number" ? "integer" : value === null ? "null" : typeof value);
    }
    if (schema["nullable"] === true) types.add("null");
    for (const [name, inner] of Object.entries(object(schema["properties"]))) {
      this.#collect(object(inner), place === "" ? name : `${place}.${name}`, into);
    }
    for (const item of [...list(schema["prefixItems"]), ...(isObject(schema["items"]) ? [schema["items"]] : [])]) {
      this.#collect(object(item), `${place}[]`, into);
    }
    if (isObject(schema["additionalProperties"])) this.#collect(schema["additionalProperties"], `${place}{}`, into);
  }

  #collectPresence(given: JsonSchema, place: string, into: Map<string, Presence>): void {
    const schema = this.#merged(given);
    for (const choice of [...list(schema["oneOf"]), ...list(schema["anyOf"])])
      this.#collectPresence(object(choice), place, into);
    for (const [name, inner] of Object.entries(object(schema["properties"]))) {
      const field = place === "" ? name : `${place}.${name}`;
      const before = into.get(field);
      const said = text(object(inner)["description"]) || text(this.#merged(object(inner))["description"]);
      into.set(field, {
        isOptional: (before?.isOptional ?? false) || !list(schema["required"]).includes(name),
        description: `${before?.description ?? ""}\n${said}`,
      });
      this.#collectPresence(object(inner), field, into);
    }
    for (const item of [...list(schema["prefixItems"]), ...(isObject(schema["items"]) ? [schema["items"]] : [])])
      this.#collectPresence(object(item), `${place}[]`, into);
    const others = schema["additionalProperties"];
    if (isObject(others)) this.#collectPresence(others, `${place}{}`, into);
  }
}

const saysType = (key: string): boolean =>
  ["type", "oneOf", "anyOf", "properties", "items", "enum", "const"].includes(key);
