/**
 * The attributes of users and groups (RFC 7643): one table, from which bodies, paths, filters and the endpoint `/Schemas`
 * derive what they need. Names are found regardless of case, and only through maps, so that no name reaches a prototype.
 */

export const urns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  skein: "urn:ietf:params:scim:schemas:extension:skein:2.0:User",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  config: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  resourceType: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  schema: "urn:ietf:params:scim:schemas:core:2.0:Schema",
} as const;

/** Of single values; `complex` has sub-attributes, `many` is a list of complex values. */
export type Kind = "text" | "flag" | "time" | "complex" | "many";

export interface Attribute {
  name: string;
  kind: Kind;
  subs: ReadonlyMap<string, Attribute>;
  isReadOnly: boolean;
  isSecret: boolean;
  /** Compared with regard to case. */
  isExact: boolean;
  isRequired: boolean;
  isUnique: boolean;
  /** A complex attribute may be given as its `value` alone. */
  takesBareValue: boolean;
  values: readonly string[] | undefined;
}

type Options = Partial<Omit<Attribute, "name" | "kind" | "subs">>;

function attribute(name: string, kind: Kind, options: Options = {}, subs: Attribute[] = []): Attribute {
  return {
    name,
    kind,
    subs: byName(subs),
    isReadOnly: false,
    isSecret: false,
    isExact: false,
    isRequired: false,
    isUnique: false,
    takesBareValue: false,
    values: undefined,
    ...options,
  };
}

const byName = (attributes: Attribute[]): ReadonlyMap<string, Attribute> =>
  new Map(attributes.map((each) => [each.name.toLowerCase(), each]));

const texts = (names: string, options?: Options): Attribute[] =>
  names.split(" ").map((name) => attribute(name, "text", options));

const complex = (name: string, subs: string, options?: Options): Attribute =>
  attribute(name, "complex", options, texts(subs));

const many = (name: string, more = "", options: Options = {}): Attribute =>
  attribute(name, "many", options, [
    ...texts("value", { isExact: options.isExact ?? false }),
    ...texts("display type $ref"),
    attribute("primary", "flag"),
    ...(more === "" ? [] : texts(more)),
  ]);

const readOnly = { isReadOnly: true };
const meta = attribute("meta", "complex", readOnly, [
  ...texts("resourceType location", readOnly),
  attribute("created", "time", readOnly),
  attribute("lastModified", "time", readOnly),
]);
const usual = [
  attribute("schemas", "text", readOnly),
  attribute("id", "text", { ...readOnly, isExact: true }),
  meta,
  attribute("externalId", "text", { isExact: true }),
];

export const roleNames = ["owner", "administrator", "moderator", "member", "guest"] as const;
export type RoleName = (typeof roleNames)[number];

const userAttributes = [
  ...usual,
  attribute("userName", "text", { isRequired: true, isUnique: true }),
  complex("name", "formatted familyName givenName middleName honorificPrefix honorificSuffix"),
  ...texts("displayName nickName profileUrl title userType preferredLanguage locale timezone"),
  attribute("active", "flag"),
  attribute("password", "text", { isSecret: true }),
  attribute("role", "text", { values: roleNames }),
  many("emails"),
  many("phoneNumbers"),
  many("ims"),
  many("photos"),
  many("addresses", "formatted streetAddress locality region postalCode country"),
  many("groups", "", readOnly),
  many("entitlements"),
  many("roles", "id displayName"),
  many("x509Certificates"),
];

const groupAttributes = [
  ...usual,
  attribute("displayName", "text", { isRequired: true, isUnique: true }),
  many("members", "", { isExact: true }),
];

const enterpriseAttributes = [
  ...texts("employeeNumber costCenter organization division department"),
  complex("manager", "value $ref displayName", { takesBareValue: true }),
];

export interface Schema {
  urn: string;
  name: string;
  attributes: ReadonlyMap<string, Attribute>;
}

/** A kind of resource: its core schema first, then its extensions. */
export type Schemas = readonly [Schema, ...Schema[]];

/** `ownNames`: the attributes of Skein's extension, which an organization chooses. */
export const userSchemas = (ownNames: readonly string[]): Schemas => [
  { urn: urns.user, name: "User", attributes: byName(userAttributes) },
  { urn: urns.enterprise, name: "EnterpriseUser", attributes: byName(enterpriseAttributes) },
  { urn: urns.skein, name: "SkeinUser", attributes: byName(ownNames.flatMap((name) => texts(name))) },
];

export const groupSchemas: Schemas = [{ urn: urns.group, name: "Group", attributes: byName(groupAttributes) }];

export interface Located {
  schema: Schema;
  isExtension: boolean;
  /** Undefined for the schema as a whole. */
  attribute: Attribute | undefined;
  sub: Attribute | undefined;
}

/** What a name such as `name.givenName` or `urn:…:User:department` refers to; undefined if there is no such attribute. */
export function locate(schemas: Schemas, path: string): Located | undefined {
  const lower = path.toLowerCase();
  for (const [index, schema] of schemas.entries()) {
    const urn = schema.urn.toLowerCase();
    if (lower === urn) return { schema, isExtension: index > 0, attribute: undefined, sub: undefined };
    if (lower.startsWith(`${urn}:`)) return within(schema, index > 0, lower.slice(urn.length + 1));
  }
  return within(schemas[0], false, lower);
}

function within(schema: Schema, isExtension: boolean, lower: string): Located | undefined {
  const [head = "", tail, ...rest] = lower.split(".", 3);
  const found = schema.attributes.get(head);
  if (!found || rest.length > 0) return undefined;
  if (tail === undefined) return { schema, isExtension, attribute: found, sub: undefined };
  const sub = found.subs.get(tail);
  return sub && { schema, isExtension, attribute: found, sub };
}
