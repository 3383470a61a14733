/** Which SCIM attributes fill in which custom profile fields. */
import { maxScimAttributes } from "@skein/api/provisioning.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isObject, type JsonObject } from "./filter.ts";
import { locate, urns, userSchemas, type Schemas } from "./schemas.ts";

/** Ids of profile fields by the attribute's path. */
export type AttributeMap = ReadonlyMap<string, number>;

export async function readAttributeMap(db: Db, realmId: number): Promise<AttributeMap> {
  const rows = await db
    .selectFrom("scim_attributes")
    .select(["path", "field_id"])
    .where("realm_id", "=", realmId)
    .orderBy("path")
    .execute();
  return new Map(rows.map(({ path, field_id }) => [path, field_id]));
}

const ownPrefix = `${urns.skein}:`;
const ownName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const ownNames = (paths: Iterable<string>): string[] =>
  [...paths].filter((path) => path.startsWith(ownPrefix)).map((path) => path.slice(ownPrefix.length));

/** The schemas of users: Skein's extension has the attributes that the map names. */
export const schemasOf = (map: AttributeMap): Schemas => userSchemas(ownNames(map.keys()));

export async function storeAttributeMap(
  tx: Tx,
  realmId: number,
  given: Readonly<Record<string, number>>,
): Promise<void> {
  const entries = Object.entries(given);
  if (entries.length > maxScimAttributes)
    throw new ApiError(`attribute_map has too many attributes (limit: ${maxScimAttributes})`);
  const own = ownNames(entries.map(([path]) => path));
  const schemas = userSchemas(own.filter((name) => ownName.test(name) && !(name in Object.prototype)));
  for (const [path] of entries) if (!isText(schemas, path)) throw new ApiError(`No such SCIM attribute: ${path}`);
  const ids = entries.map(([, id]) => id);
  const fields = await tx
    .selectFrom("custom_profile_fields")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("id", "in", [0, ...ids])
    .forShare()
    .execute();
  const unknown = ids.find((id) => !fields.some((field) => field.id === id));
  if (unknown !== undefined) throw new ApiError(`Field id ${unknown} not found.`);
  await tx.deleteFrom("scim_attributes").where("realm_id", "=", realmId).execute();
  await sql`
    insert into scim_attributes (realm_id, path, field_id)
    select ${realmId}, path, field_id
    from unnest(${entries.map(([path]) => path)}::text[], ${ids}::bigint[]) as entry (path, field_id)`.execute(tx);
}

function isText(schemas: Schemas, path: string): boolean {
  const located = locate(schemas, path);
  if (!located?.attribute || located.attribute.isReadOnly || located.attribute.isSecret) return false;
  return (located.sub ?? located.attribute).kind === "text" && located.attribute.kind !== "many";
}

/** The text at a path of the map, if there is some. */
export function textAt(resource: JsonObject, path: string, schemas: Schemas): string | undefined {
  const located = locate(schemas, path);
  if (!located?.attribute) return undefined;
  const container = located.isExtension ? resource[located.schema.urn] : resource;
  const value = isObject(container) ? container[located.attribute.name] : undefined;
  const text = located.sub && isObject(value) ? value[located.sub.name] : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}
