/** The declarations as an OpenAPI 3.1 document. */
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
  for (const declared of endpoints) {
    (paths[documentPath(declared)] ??= {})[declared.method.toLowerCase()] = toOperation(declared, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Skein",
      version: String(featureLevel),
      description:
        "The HTTP interface of a Skein server. Parameters may travel in the query string, in a form body or as " +
        "multipart/form-data, whatever the method; those marked application/json are JSON text. A browser that is " +
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

/** Where an operation stands in the document: what is for browsers alone has a place of its own. */
export const documentPath = ({ only, path }: Endpoint): string => (only === "browsers" ? `/json${path}` : path);

function securityOf({ auth, only }: Endpoint): JsonValue {
  if (auth === "none") return [];
  return only === "browsers" ? [{ session: [] }] : [{ basic: [] }];
}

const errorSchema: JsonSchema = {
  type: "object",
  description: "A refusal. Some codes come with more fields.",
  properties: {
    result: { const: "error" },
    msg: { type: "string", description: "What is wrong, for people to read." },
    code: { type: "string", description: "What is wrong, for programs." },
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
    ...(declared.deprecated ? { deprecated: true } : {}),
    ...(elsewhere.length > 0
      ? { parameters: elsewhere.map(([name, schema]) => toParameter(name, schema, inPath.has(name), schemas)) }
      : {}),
    ...(inBody.length > 0 || declared.file !== undefined
      ? { requestBody: toBody(inBody, declared.file, schemas) }
      : {}),
    responses: {
      200: {
        description: "Done.",
        content: { "application/json": { schema: toAnswer(declared, schemas) } },
      },
      "4XX": {
        description: "Refused.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
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
    ...(jsonOnWire(parameter) === "always" && !inPath ? { content: { "application/json": { schema } } } : { schema }),
  };
}

function toBody(
  parameters: [string, WireParam][],
  file: string | undefined,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const required = parameters.filter(([, parameter]) => isRequired(parameter)).map(([name]) => name);
  const encoding = parameters
    .filter(([, parameter]) => jsonOnWire(parameter) === "always")
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
  if (file === undefined)
    return { required: required.length > 0, content: { "application/x-www-form-urlencoded": form } };
  const filename = { type: "string", format: "binary", description: file };
  const withFile = { ...schema, properties: { ...schema.properties, filename }, required: [...required, "filename"] };
  return { required: true, content: { "multipart/form-data": { ...form, schema: withFile } } };
}

function descriptionWithAlias(parameter: WireParam): string {
  const other = aliasOf(parameter);
  return other === undefined ? descriptionOf(parameter) : `${descriptionOf(parameter)} Older name: ${other}.`;
}

export function parameterSchema(parameter: WireParam, schemas: Record<string, JsonSchema>): JsonSchema {
  const fallback = defaultOf(parameter);
  const { description: _said, ...schema } = toJsonSchema(decodedSchema(parameter), "input", schemas);
  // A default is what the wire could have said, and so is JSON.
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
        .describe("Parameters that were given and mean nothing here; absent when there are none."),
      ...declared.returns,
    }),
    "output",
    schemas,
  );
}

/** The JSON schema of a type; the objects it names are put among `schemas`. */
function toJsonSchema(type: z.core.$ZodType, io: "input" | "output", schemas: Record<string, JsonSchema>): JsonSchema {
  const { $schema: _dialect, $defs, ...schema } = z.toJSONSchema(type, { io, override: plainIntegers });
  // What zod makes is plain JSON; its type only says less.
  const found = pointToComponents(($defs ?? {}) as JsonSchema);
  for (const [name, definition] of Object.entries(found)) {
    const { id: _id, ...kept } = definition as JsonSchema;
    schemas[name] = kept;
  }
  return pointToComponents(schema as JsonSchema);
}

/** Every integer here fits JavaScript, so saying so says nothing; and a choice among integers is an integer. */
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
