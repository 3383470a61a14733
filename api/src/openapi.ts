/** Converts the declarations to an OpenAPI 3.1 document. */
import { z } from "zod";
import {
  aliasOf,
  decodedSchema,
  defaultOf,
  descriptionOf,
  isDeprecated,
  isRequired,
  jsonOnWire,
  pathNames,
  type Endpoint,
  type WireParam,
} from "./endpoint.ts";
import { featureLevel } from "./server-settings.ts";

export type JsonSchema = { [key: string]: JsonValue };
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export interface OpenApiDocument {
  openapi: "3.1.0";
  info: JsonSchema;
  servers: JsonValue;
  tags: JsonValue;
  paths: Record<string, Record<string, JsonSchema>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: JsonSchema };
}

export function toOpenApi(endpoints: readonly Endpoint[]): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { Error: errorSchema };
  const paths: OpenApiDocument["paths"] = {};
  /** Represents all paths of its shape: to OpenAPI, paths that differ only in the names of their parameters are one. */
  const pathOfShape = new Map<string, string>();
  for (const declared of endpoints) {
    const own = documentPath(declared);
    const shape = own.replaceAll(/\{\w+\}/g, "{}");
    const path = pathOfShape.get(shape) ?? own;
    pathOfShape.set(shape, path);
    const operations = (paths[path] ??= {});
    const method = declared.method.toLowerCase();
    const operation = toOperation(declared, schemas);
    const earlier = operations[method];
    if (path !== own && !earlier) throw new Error(`${own} has a method that ${path} does not have`);
    operations[method] = earlier ? withOtherName(earlier, operation) : operation;
    if (earlier) delete schemas[bodySchemaName(declared.operation)];
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Skein",
      version: String(featureLevel),
      description:
        "The HTTP interface of a Skein server. Parameters may travel in the query string, in a form body, as " +
        "multipart/form-data or as the fields of a JSON object, whatever the method; in the first three, those marked " +
        "application/json are JSON text, in a JSON object each is its value. A parameter can be given once. A browser that is " +
        "signed in finds every operation under /json instead of /api/v1, unless it is for keys alone; what it changes " +
        "there, it changes with the token of its csrftoken cookie in the header X-CSRFToken.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/api/v1" }],
    tags: [...new Set(endpoints.map((declared) => declared.area))].map((name) => ({ name })),
    paths,
    components: {
      schemas: sortedByName(schemas),
      securitySchemes: {
        basic: { type: "http", scheme: "basic", description: "The account's e-mail address and an API key." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "sessionid",
          description: "A browser that is signed in; over TLS the cookie is called __Host-sessionid.",
        },
      },
    },
  };
}

/**
 * Merges two operations with the same path shape, which differ in the types of their path parameters: the result is the
 * first operation, whose path parameters also accept the types of the second.
 */
function withOtherName(first: JsonSchema, second: JsonSchema): JsonSchema {
  const others = pathParametersOf(second);
  const parameters = pathParametersOf(first).map((parameter, index) => {
    const other = others[index] ?? parameter;
    if (other["name"] === parameter["name"]) return parameter;
    const [description, name, otherDescription] = [
      parameter["description"],
      second["operationId"],
      other["description"],
    ] as string[]; // made by toOperation
    return {
      ...parameter,
      description: `${description} Or (${name}): ${otherDescription}`,
      schema: { anyOf: [parameter["schema"] ?? {}, other["schema"] ?? {}] },
    };
  });
  const rest = (first["parameters"] as JsonSchema[]).filter((parameter) => parameter["in"] !== "path"); // made by toOperation
  return { ...first, parameters: [...parameters, ...rest] };
}

const pathParametersOf = (operation: JsonSchema): JsonSchema[] =>
  (operation["parameters"] as JsonSchema[]).filter((parameter) => parameter["in"] === "path"); // made by toOperation

/** The path of an operation in the document: browser-only operations have a separate prefix. */
export const documentPath = ({ only, path }: Endpoint): string => (only === "browsers" ? `/json${path}` : path);

function securityOf({ auth, only }: Endpoint): JsonValue {
  if (auth === "none") return [];
  return only === "browsers" ? [{ session: [] }] : [{ basic: [] }];
}

const errorSchema: JsonSchema = {
  type: "object",
  description: "An error. Some codes come with more fields.",
  properties: {
    result: { const: "error" },
    msg: { type: "string", description: "The error message, for people." },
    code: { type: "string", description: "The error code, for programs." },
  },
  required: ["result", "msg", "code"],
};

function toOperation(declared: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  const inPath = new Set(pathNames(declared.path));
  const parameters = Object.entries(declared.params);
  const inBody = declared.method === "GET" ? [] : parameters.filter(([name]) => !inPath.has(name));
  const elsewhere = declared.method === "GET" ? parameters : parameters.filter(([name]) => inPath.has(name));
  return {
    operationId: declared.operation,
    summary: declared.summary,
    description: declared.description,
    tags: [declared.area],
    ...(declared.only === "browsers" ? { servers: [{ url: "/" }] } : {}),
    security: securityOf(declared),
    ...(declared.scope === null ? {} : { "x-scope": declared.scope }),
    ...(declared.stepUp === undefined
      ? {}
      : { "x-step-up": declared.stepUp === true ? true : Object.keys(declared.stepUp) }),
    ...(declared.deprecated ? { deprecated: true } : {}),
    ...(elsewhere.length > 0
      ? { parameters: elsewhere.map(([name, schema]) => toParameter(name, schema, inPath.has(name), schemas)) }
      : {}),
    ...(inBody.length > 0 || declared.file !== undefined ? { requestBody: toBody(declared, inBody, schemas) } : {}),
    responses: {
      ...successOf(declared, schemas),
      "4XX": {
        description: "Error.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function successOf(declared: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  if (declared.streamsEvents === "WebSocket") return { 101: { description: "The connection becomes a WebSocket." } };
  return { 200: { description: "Success.", content: contentOf(declared, schemas) } };
}

function contentOf(declared: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  if (declared.streamsEvents) return { "text/event-stream": { schema: { type: "string" } } };
  if (declared.streamsLines) return { "application/jsonl": { schema: { type: "string" } } };
  return { "application/json": { schema: toAnswer(declared, schemas) } };
}

function toParameter(
  name: string,
  parameter: WireParam,
  inPath: boolean,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const schema = parameterSchema(parameter, schemas);
  return {
    name,
    in: inPath ? "path" : "query",
    description: descriptionWithAlias(parameter),
    required: isRequired(parameter),
    ...(isDeprecated(parameter) ? { deprecated: true } : {}),
    ...(jsonOnWire(parameter) === undefined || inPath || isScalar(schema)
      ? { schema }
      : { content: { "application/json": { schema } } }),
  };
}

/**
 * As JSON text, these are what every client sends anyway; many generators know no other way for them. Lists and objects
 * keep their `content`, because no `style` of OpenAPI means JSON: given a schema instead, generated clients would have the
 * right types but send a list as one parameter per element, and refuse to send objects. With `content`, openapi-typescript
 * types them as the JSON text that the server takes, and other generators encode it themselves.
 */
const isScalar = ({ type }: JsonSchema): boolean => type === "integer" || type === "number" || type === "boolean";

const bodySchemaName = (operation: string): string => `${operation}-parameters`;

function toBody(
  { operation, file, fileIsOptional }: Endpoint,
  parameters: [string, WireParam][],
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const required = parameters.filter(([, parameter]) => isRequired(parameter)).map(([name]) => name);
  const encoding = parameters
    .filter(([, parameter]) => jsonOnWire(parameter) !== undefined)
    .map(([name]) => [name, { contentType: "application/json" }] as const);
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      parameters.map(([name, parameter]) => [
        name,
        {
          ...parameterSchema(parameter, schemas),
          description: descriptionWithAlias(parameter),
          ...(isDeprecated(parameter) ? { deprecated: true } : {}),
        },
      ]),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
  const form = { schema, encoding: Object.fromEntries(encoding) };
  if (file === undefined) {
    // Shared, because both forms of the body have the same fields.
    const name = bodySchemaName(operation);
    schemas[name] = schema;
    const fields = { schema: { $ref: `#/components/schemas/${name}` } };
    const content = { "application/x-www-form-urlencoded": { ...form, ...fields }, "application/json": fields };
    return { required: required.length > 0, content };
  }
  const filename = { type: "string", format: "binary", description: file };
  const requiredWithFile = fileIsOptional ? required : [...required, "filename"];
  const withFile = {
    ...schema,
    properties: { ...schema.properties, filename },
    ...(requiredWithFile.length > 0 ? { required: requiredWithFile } : {}),
  };
  return {
    required: requiredWithFile.length > 0,
    content: { "multipart/form-data": { ...form, schema: withFile } },
  };
}

function descriptionWithAlias(parameter: WireParam): string {
  const other = aliasOf(parameter);
  return other === undefined ? descriptionOf(parameter) : `${descriptionOf(parameter)} Older name: ${other}.`;
}

export function parameterSchema(parameter: WireParam, schemas: Record<string, JsonSchema>): JsonSchema {
  const fallback = defaultOf(parameter);
  const { description: _description, ...schema } = toJsonSchema(decodedSchema(parameter), "input", schemas);
  // A default is a possible value on the wire, so it is JSON.
  return fallback === undefined ? schema : { ...schema, default: fallback as JsonValue };
}

function toAnswer(declared: Endpoint, schemas: Record<string, JsonSchema>): JsonSchema {
  return toJsonSchema(
    z.strictObject({
      result: z.literal("success"),
      msg: z.literal(""),
      ignored_parameters_unsupported: z
        .array(z.string())
        .optional()
        .describe("Parameters of the request that this endpoint does not support; absent when there are none."),
      ...declared.returns,
    }),
    "output",
    schemas,
  );
}

/** The JSON schema of a type; its named objects are added to `schemas`. */
function toJsonSchema(type: z.core.$ZodType, io: "input" | "output", schemas: Record<string, JsonSchema>): JsonSchema {
  const { $schema: _dialect, $defs, ...schema } = z.toJSONSchema(type, { io, override: plainIntegers });
  // zod returns plain JSON; only its type is less specific.
  const found = pointToComponents(($defs ?? {}) as JsonSchema);
  for (const [name, definition] of Object.entries(found)) {
    const { id: _id, ...kept } = definition as JsonSchema;
    schemas[name] = kept;
  }
  return pointToComponents(schema as JsonSchema);
}

/** The schema of a value that the server sends, such as an event. */
export const schemaOf = (type: z.core.$ZodType, schemas: Record<string, JsonSchema>): JsonSchema =>
  toJsonSchema(type, "output", schemas);

/** Drops the limits of JavaScript's safe integers, which add no information, and types a choice of integers as integer. */
function plainIntegers({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.type === "number" && jsonSchema.enum?.every(Number.isInteger)) jsonSchema.type = "integer";
}

function pointToComponents<T extends JsonValue>(value: T): T;
function pointToComponents(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => pointToComponents(item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "$ref" && typeof inner === "string"
        ? inner.replace("#/$defs/", "#/components/schemas/")
        : pointToComponents(inner),
    ]),
  );
}

const sortedByName = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
