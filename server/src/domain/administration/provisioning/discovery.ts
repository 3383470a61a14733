/** What a SCIM client can learn about this server: its features, kinds of resources, and schemas. */
import type { JsonObject } from "./filter.ts";
import { maxResults } from "./find.ts";
import { groupSchemas, urns, type Attribute, type Schema, type Schemas } from "./schemas.ts";

export const serviceProviderConfig = (base: string): JsonObject => ({
  schemas: [urns.config],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    { type: "oauthbearertoken", name: "Bearer token", description: "A SCIM token of the organization.", primary: true },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

export const resourceTypes = (base: string): JsonObject[] => [
  {
    ...resourceType(base, "User", "/Users", urns.user),
    schemaExtensions: [urns.enterprise, urns.skein].map((schema) => ({ schema, required: false })),
  },
  resourceType(base, "Group", "/Groups", urns.group),
];

const resourceType = (base: string, name: string, endpoint: string, schema: string): JsonObject => ({
  schemas: [urns.resourceType],
  id: name,
  name,
  endpoint,
  schema,
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
});

export const describeSchemas = (base: string, users: Schemas): JsonObject[] =>
  [...users, ...groupSchemas].map((schema) => describeSchema(base, schema));

const describeSchema = (base: string, { urn, name, attributes }: Schema): JsonObject => ({
  schemas: [urns.schema],
  id: urn,
  name,
  attributes: [...attributes.values()].map(describeAttribute),
  meta: { resourceType: "Schema", location: `${base}/Schemas/${urn}` },
});

const types = { text: "string", flag: "boolean", time: "dateTime", complex: "complex", many: "complex" } as const;

const describeAttribute = (attribute: Attribute): JsonObject => ({
  name: attribute.name,
  type: types[attribute.kind],
  multiValued: attribute.kind === "many" || attribute.name === "schemas",
  required: attribute.isRequired,
  caseExact: attribute.isExact,
  mutability: attribute.isSecret ? "writeOnly" : attribute.isReadOnly ? "readOnly" : "readWrite",
  returned: attribute.isSecret ? "never" : attribute.name === "id" ? "always" : "default",
  uniqueness: attribute.isUnique || attribute.name === "id" ? "server" : "none",
  ...(attribute.values ? { canonicalValues: [...attribute.values] } : {}),
  ...(attribute.subs.size > 0 ? { subAttributes: [...attribute.subs.values()].map(describeAttribute) } : {}),
});
