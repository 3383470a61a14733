/**
 * Lists of resources: filters and pages. A filter that names an id, a user name, an external id or an e-mail address finds its
 * few candidates by an index; others are evaluated against all resources, a batch at a time.
 */
import { sql, type RawBuilder } from "kysely";
import { fits, isObject, parseFilter, type Filter, type JsonObject } from "./filter.ts";
import type { Form } from "../../../http/form.ts";
import { locate, urns, type Schemas } from "./schemas.ts";
import { invalid } from "./scim-error.ts";

export const maxResults = 500;
const defaultResults = 100;
const batchSize = 500;

/** A kind of resource in the database, ordered by id. */
export interface Source {
  schemas: Schemas;
  /** SQL for the candidates of a filter; undefined: all. */
  narrow: (filter: Filter) => RawBuilder<unknown> | undefined;
  count: () => Promise<number>;
  load: (range: {
    condition: RawBuilder<unknown>;
    afterId?: number;
    offset?: number;
    limit: number;
  }) => Promise<{ id: number; resource: JsonObject }[]>;
}

export async function findResources(source: Source, query: Form): Promise<JsonObject> {
  const startIndex = Math.max(1, readInteger(query, "startIndex", 1));
  const count = Math.min(maxResults, Math.max(0, readInteger(query, "count", defaultResults)));
  const given = query.get("filter");
  const { total, page } =
    given === undefined
      ? await pageOf(source, startIndex - 1, count)
      : await filtered(source, parseFilter(given, source.schemas), startIndex - 1, count);
  return toList(
    page.map((resource) => project(resource, query, source.schemas)),
    startIndex,
    total,
  );
}

export const toList = (Resources: JsonObject[], startIndex = 1, totalResults = Resources.length): JsonObject => ({
  schemas: [urns.list],
  totalResults,
  startIndex,
  itemsPerPage: Resources.length,
  Resources,
});

function readInteger(query: Form, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === undefined) return fallback;
  if (!/^-?\d{1,9}$/.test(text)) throw invalid("invalidValue", `${name} is not an integer.`);
  return Number(text);
}

async function pageOf(source: Source, offset: number, limit: number) {
  const total = await source.count();
  const rows = limit === 0 ? [] : await source.load({ condition: sql`true`, offset, limit });
  return { total, page: rows.map(({ resource }) => resource) };
}

async function filtered(source: Source, filter: Filter, offset: number, limit: number) {
  const condition = source.narrow(filter) ?? sql`true`;
  const page: JsonObject[] = [];
  let total = 0;
  for (let afterId = 0; ;) {
    const rows = await source.load({ condition, afterId, limit: batchSize });
    for (const { resource } of rows) {
      if (!fits(filter, resource)) continue;
      if (total >= offset && page.length < limit) page.push(resource);
      total++;
    }
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) return { total, page };
    afterId = last.id;
  }
}

const names = (list: string | undefined): string[] =>
  (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** The attributes the client asks for. */
export function project(resource: JsonObject, query: Form, schemas: Schemas): JsonObject {
  const wanted = names(query.get("attributes"));
  if (wanted.length > 0) {
    const shown: JsonObject = { schemas: resource["schemas"], id: resource["id"] };
    for (const name of wanted) copy(resource, shown, name, schemas);
    return shown;
  }
  const excluded = names(query.get("excludedAttributes"));
  if (excluded.length === 0) return resource;
  const shown = structuredClone(resource);
  for (const name of excluded) remove(shown, name, schemas);
  return shown;
}

function copy(from: JsonObject, to: JsonObject, path: string, schemas: Schemas): void {
  const located = locate(schemas, path);
  if (!located) return;
  const { attribute, isExtension, schema, sub } = located;
  if (isExtension && from[schema.urn] === undefined) return;
  const source = isExtension ? from[schema.urn] : from;
  if (!isObject(source)) return;
  if (!attribute) {
    if (isExtension) to[schema.urn] = source;
    return;
  }
  const value = source[attribute.name];
  if (value === undefined) return;
  const target = isExtension ? (isObject(to[schema.urn]) ? to[schema.urn] : (to[schema.urn] = {})) : to;
  if (!isObject(target)) return;
  if (!sub) target[attribute.name] = value;
  else if (Array.isArray(value))
    target[attribute.name] = value.map((item) => (isObject(item) ? { [sub.name]: item[sub.name] } : item));
  else if (isObject(value) && value[sub.name] !== undefined) {
    const known = target[attribute.name];
    target[attribute.name] = { ...(isObject(known) ? known : {}), [sub.name]: value[sub.name] };
  }
}

function remove(resource: JsonObject, path: string, schemas: Schemas): void {
  const located = locate(schemas, path);
  if (!located) return;
  const { attribute, isExtension, schema, sub } = located;
  if (!attribute) {
    if (isExtension) delete resource[schema.urn];
    return;
  }
  if (attribute.name === "id" || attribute.name === "schemas") return;
  const container = isExtension ? resource[schema.urn] : resource;
  if (!isObject(container)) return;
  if (!sub) {
    delete container[attribute.name];
    return;
  }
  const value = container[attribute.name];
  for (const item of Array.isArray(value) ? value : [value]) if (isObject(item)) delete item[sub.name];
}
