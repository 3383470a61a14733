/**
 * PATCH (RFC 7644, section 3.5.2), as Okta and Microsoft Entra send it: applies operations to a copy of a resource. The
 * caller stores the copy if all of them succeed.
 */
import { isDeepStrictEqual } from "node:util";
import { fits, isObject, parseItemFilter, type Filter, type Json, type JsonObject } from "./filter.ts";
import { locate, type Attribute, type Located, type Schemas } from "./schemas.ts";
import { invalid } from "./scim-error.ts";
import { readExtension, readValue } from "./values.ts";

export const maxOperations = 1000;
const maxPath = 2000;

export interface Operation {
  op: "add" | "replace" | "remove";
  path: string | undefined;
  value: Json | undefined;
}

export function readOperations(body: JsonObject): Operation[] {
  const name = Object.keys(body).find((key) => key.toLowerCase() === "operations");
  const operations = name === undefined ? undefined : body[name];
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalid("invalidSyntax", "Operations is not a list with at least one operation.");
  if (operations.length > maxOperations)
    throw invalid("invalidSyntax", `There are too many operations (limit: ${maxOperations}).`);
  return operations.map(readOperation);
}

function readOperation(operation: Json): Operation {
  if (!isObject(operation)) throw invalid("invalidSyntax", "An operation is not an object.");
  const { op: given, path, value } = operation;
  const op = typeof given === "string" ? given.toLowerCase() : undefined;
  if (op !== "add" && op !== "replace" && op !== "remove") throw invalid("invalidSyntax", "op is unknown.");
  if (path !== undefined && path !== null && (typeof path !== "string" || path === "" || path.length > maxPath))
    throw invalid("invalidPath", "path is not valid.");
  return { op, path: path ?? undefined, value };
}

/** Changes `resource`, whose `id` is part of it. */
export function applyOperation(resource: JsonObject, { op, path, value }: Operation, schemas: Schemas): void {
  if (path !== undefined) return applyAt(resource, parsePath(path, schemas), op, value);
  if (op === "remove") throw invalid("noTarget", "remove needs a path.");
  if (!isObject(value)) throw invalid("invalidValue", "Without a path, value has to be an object.");
  for (const [name, each] of Object.entries(value)) {
    const target = locate(schemas, name);
    if (!target) continue;
    if (target.attribute?.name === "id" && each !== resource["id"])
      throw invalid("mutability", "id cannot be changed.");
    if (target.attribute?.isReadOnly || (!target.attribute && !target.isExtension)) continue;
    applyAt(resource, target, op, each);
  }
}

/** The attributes of a resource that a client sends as a whole. What is null counts as absent. */
export function readResource(body: JsonObject, schemas: Schemas): JsonObject {
  const given = Object.entries(body).filter(([name, value]) => value !== null && name.toLowerCase() !== "id");
  const resource: JsonObject = {};
  applyOperation(resource, { op: "add", path: undefined, value: Object.fromEntries(given) }, schemas);
  return resource;
}

type Target = Located & { where?: Filter };

function parsePath(path: string, schemas: Schemas): Target {
  const bad = (): never => {
    throw invalid("invalidPath", `There is no attribute for the path ${path.slice(0, 200)}.`);
  };
  const open = path.indexOf("[");
  const located = locate(schemas, open < 0 ? path : path.slice(0, open)) ?? bad();
  if (located.attribute?.isReadOnly) throw invalid("mutability", `${located.attribute.name} cannot be changed.`);
  if (!located.attribute && !located.isExtension) return bad();
  if (open < 0) return located;
  const close = path.lastIndexOf("]");
  const { attribute } = located;
  if (attribute?.kind !== "many" || located.sub || close < open) return bad();
  const where = parseItemFilter(path.slice(open + 1, close), attribute);
  const rest = path.slice(close + 1);
  if (rest === "") return { ...located, where };
  const sub = rest.startsWith(".") ? attribute.subs.get(rest.slice(1).toLowerCase()) : undefined;
  return sub ? { ...located, where, sub } : bad();
}

function applyAt(resource: JsonObject, target: Target, op: Operation["op"], value: Json | undefined): void {
  const { attribute, schema, isExtension } = target;
  // Null clears a value; no value at all is a mistake.
  const isCleared = op === "remove" || value === null;
  if (!isCleared && value === undefined) throw invalid("invalidValue", `${op} needs a value.`);
  if (!attribute) {
    if (isCleared) delete resource[schema.urn];
    else resource[schema.urn] = { ...objectAt(resource, schema.urn), ...readExtension(schema, value ?? null) };
    return;
  }
  const container = isExtension ? objectAt(resource, schema.urn) : resource;
  if (isCleared && (attribute.isRequired || attribute.name === "active" || attribute.name === "role"))
    throw invalid("invalidValue", `${attribute.name} cannot be removed.`);
  if (attribute.kind === "many") applyToList(container, attribute, target, op, value);
  else if (target.sub) {
    const complex = objectAt(container, attribute.name);
    if (isCleared) delete complex[target.sub.name];
    else complex[target.sub.name] = readValue(target.sub, value ?? null);
    container[attribute.name] = complex;
  } else if (isCleared) delete container[attribute.name];
  else {
    const given = readValue(attribute, value ?? null);
    container[attribute.name] = isObject(given) ? { ...objectAt(container, attribute.name), ...given } : given;
  }
  const left = container[attribute.name];
  if (isObject(left) && Object.keys(left).length === 0) delete container[attribute.name];
  if (!isExtension) return;
  if (Object.keys(container).length === 0) delete resource[schema.urn];
  else resource[schema.urn] = container;
}

function objectAt(container: JsonObject, name: string): JsonObject {
  const found = container[name];
  return isObject(found) ? { ...found } : {};
}

function applyToList(
  container: JsonObject,
  attribute: Attribute,
  { where, sub }: Target,
  op: Operation["op"],
  value: Json | undefined,
): void {
  const stored = container[attribute.name];
  const items = (Array.isArray(stored) ? stored : []).filter(isObject);
  const isCleared = op === "remove" || value === null;
  const set = (list: JsonObject[]): void => {
    if (list.length === 0 && attribute.name !== "members") delete container[attribute.name];
    else container[attribute.name] = list;
  };
  if (!where && !sub) {
    if (isCleared)
      return set(op === "remove" && value !== undefined && value !== null ? without(items, attribute, value) : []);
    // readValue returns a list of objects for a list.
    const given = readValue(attribute, value ?? null) as JsonObject[];
    return set(op === "replace" ? given : joined(items, given));
  }
  const isMatch = (item: JsonObject): boolean => !where || fits(where, item);
  if (isCleared) {
    if (!sub) return set(items.filter((item) => !isMatch(item)));
    return set(items.map((item) => (isMatch(item) ? omit(item, sub.name) : item)));
  }
  const change = sub ? { [sub.name]: readValue(sub, value ?? null) } : firstOf(readValue(attribute, value ?? null));
  if (items.some(isMatch)) return set(items.map((item) => (isMatch(item) ? { ...item, ...change } : item)));
  const made = where && newItem(where);
  if (!made) throw invalid("noTarget", "No value fits the filter in the path.");
  set([...items, { ...made, ...change }]);
}

const firstOf = (list: Json): JsonObject => {
  const [first, ...others] = Array.isArray(list) ? list : [];
  if (!isObject(first) || others.length > 0) throw invalid("invalidValue", "value is not a single object.");
  return first;
};

const omit = (item: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));

/** A value that has to exist first is made from `type eq "…"` and `primary eq true`. */
function newItem(where: Filter): JsonObject | undefined {
  if (where.op !== "eq" || where.operand === null) return undefined;
  const { name } = where.place.attribute;
  return name === "type" || name === "primary" ? { [name]: where.operand } : undefined;
}

function without(items: JsonObject[], attribute: Attribute, value: Json): JsonObject[] {
  // As above.
  const given = readValue(attribute, value) as JsonObject[];
  const values = new Set(given.map((item) => item["value"]));
  return items.filter((item) => !values.has(item["value"]));
}

/** Both lists, without duplicates. Only one value is the primary one: the last that says so. */
function joined(items: JsonObject[], added: JsonObject[]): JsonObject[] {
  const byValue = new Map<Json | undefined, JsonObject[]>();
  for (const item of items) byValue.set(item["value"], [...(byValue.get(item["value"]) ?? []), item]);
  const fresh = added.filter(
    (item) => !(byValue.get(item["value"]) ?? []).some((known) => isDeepStrictEqual(known["type"], item["type"])),
  );
  const isReplaced = fresh.some((item) => item["primary"] === true);
  return [...(isReplaced ? items.map((item) => omit(item, "primary")) : items), ...fresh];
}
