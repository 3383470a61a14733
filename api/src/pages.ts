/** The reference as pages for people: an overview and one page an operation, made from the declarations. */
import { endpoints as everyEndpoint } from "./all.ts";
import {
  aliasOf,
  defaultOf,
  descriptionOf,
  isDeprecated,
  isRequired,
  jsonOnWire,
  pathNames,
  type Endpoint,
  type WireParam,
} from "./endpoint.ts";
import { documentPath, parameterSchema, toOpenApi, type JsonSchema, type OpenApiDocument } from "./openapi.ts";
import { escapeHtml, frame, table } from "./page-frame.ts";
import { exampleOf, namedTypes, propertiesOf, typeText } from "./schema-text.ts";

export interface Page {
  status: 200 | 404;
  html: string;
}

const root = "/api/docs";

/** The page at a path, `/api/docs` or `/api/docs/{operation}`. */
export const renderPage = createReference(everyEndpoint);

export function createReference(endpoints: readonly Endpoint[]): (path: string) => Page {
  let made: OpenApiDocument | undefined;
  return (path) => {
    const wanted = path.replace(/\/+$/, "");
    if (wanted === root) return { status: 200, html: overview(endpoints) };
    const declared = endpoints.find(({ operation }) => wanted === `${root}/${operation}`);
    if (!declared) return { status: 404, html: notFound() };
    made ??= toOpenApi(endpoints);
    return { status: 200, html: operationPage(declared, made) };
  };
}

const link = (declared: Endpoint): string =>
  `<a href="${root}/${escapeHtml(declared.operation)}">${escapeHtml(declared.summary)}</a>`;

/** Where an endpoint is. */
const place = ({ only, path }: Endpoint): string => `${only === "browsers" ? "/json" : "/api/v1"}${path}`;

const route = (declared: Endpoint): string => `<code><b>${declared.method}</b> ${escapeHtml(place(declared))}</code>`;

function overview(endpoints: readonly Endpoint[]): string {
  const areas = Object.entries(Object.groupBy(endpoints, (declared) => declared.area));
  const sections = areas.map(
    ([area, members = []]) =>
      `<section><h2>${escapeHtml(area)}</h2><ul>${members
        .map((declared) => `<li>${link(declared)} ${route(declared)}</li>`)
        .join("")}</ul></section>`,
  );
  return frame(
    "HTTP API",
    `<p>Parameters may travel in the query string, in a form body or as multipart/form-data, whatever the method. Lists,
objects, numbers and booleans are JSON text. Requests carry HTTP Basic credentials: an account's e-mail address and an
API key. Every answer is a JSON object with <code>result</code> and <code>msg</code>.</p>${sections.join("")}`,
  );
}

const notFound = (): string =>
  frame("Not found", `<p>There is no such page. See <a href="${root}">all operations</a>.</p>`);

function operationPage(declared: Endpoint, document: OpenApiDocument): string {
  const answer = answerSchema(declared, document);
  const parameters = Object.values(declared.params).map((parameter) => parameterSchema(parameter, {}));
  const named = namedTypes([...parameters, answer], document.components.schemas);
  return frame(
    declared.summary,
    [
      `<p><a href="${root}">All operations</a></p>`,
      `<p>${route(declared)}${declared.deprecated ? " <em>deprecated</em>" : ""}</p>`,
      `<p>${escapeHtml(declared.description)}</p>`,
      declared.auth === "none" ? "<p>Takes no credentials.</p>" : "",
      `<h2>Example</h2><pre><code>${escapeHtml(curl(declared))}</code></pre>`,
      `<h2>Parameters</h2>${parameterTable(declared)}`,
      `<h2>Answer</h2>${fieldTable(answer)}`,
      ...named.map(([name, schema]) => namedType(name, schema)),
      `<h2>Refusals</h2><p>A refusal has status 4xx and this form; some codes come with more fields.</p>
<pre><code>{"result": "error", "msg": "…", "code": "BAD_REQUEST"}</code></pre>`,
    ].join("\n"),
  );
}

function answerSchema(declared: Endpoint, document: OpenApiDocument): JsonSchema {
  // The document was made from this declaration, so the way down is known.
  const operation = document.paths[documentPath(declared)]?.[declared.method.toLowerCase()] as unknown as {
    responses: { 200: { content: { "application/json": { schema: JsonSchema } } } };
  };
  return operation.responses[200].content["application/json"].schema;
}

function parameterTable(declared: Endpoint): string {
  const inPath = pathNames(declared.path);
  const rows = Object.entries(declared.params).map(([name, parameter]): [string, string, string] => [
    name,
    typeText(parameterSchema(parameter, {})),
    `${descriptionOf(parameter)} (${notesOn(parameter, inPath.includes(name)).join(", ")})`,
  ]);
  if (declared.file !== undefined) rows.push(["filename", "file", `${declared.file} (in a multipart body)`]);
  return rows.length === 0 ? "<p>None.</p>" : table("Parameter", rows);
}

function notesOn(parameter: WireParam, inPath: boolean): string[] {
  const fallback = defaultOf(parameter);
  const other = aliasOf(parameter);
  const wire = jsonOnWire(parameter);
  return [
    isRequired(parameter) ? "required" : "optional",
    ...(inPath ? ["in the path"] : []),
    ...(wire === "always" ? ["JSON"] : wire === "or text" ? ["JSON or text"] : []),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ...(other === undefined ? [] : [`older name ${other}`]),
    ...(isDeprecated(parameter) ? ["deprecated"] : []),
  ];
}

function fieldTable(schema: JsonSchema): string {
  const rows = propertiesOf(schema).map(([name, inner, always]): [string, string, string] => [
    name,
    typeText(inner),
    [typeof inner["description"] === "string" ? inner["description"] : "", always ? "" : "(may be absent)"]
      .filter((part) => part !== "")
      .join(" "),
  ]);
  return table("Field", rows);
}

const namedType = (name: string, schema: JsonSchema): string =>
  `<h3>${escapeHtml(name)}</h3>${schema["properties"] ? fieldTable(schema) : `<p><code>${escapeHtml(typeText(schema))}</code></p>`}`;

/** A request with the parameters that must be given. */
function curl(declared: Endpoint): string {
  const given = Object.entries(declared.params)
    .filter(([, parameter]) => isRequired(parameter))
    .map(([name, parameter]) => {
      const value = exampleOf(parameterSchema(parameter, {}));
      return [name, typeof value === "string" ? value : JSON.stringify(value)] as const;
    });
  const inPath = pathNames(declared.path);
  const path = given.reduce(
    (done, [name, text]) => done.replace(`{${name}}`, encodeURIComponent(text)),
    place(declared),
  );
  const fields = given.filter(([name]) => !inPath.includes(name));
  return [
    `curl -sS ${declared.method === "GET" ? "-G" : `-X ${declared.method}`} https://chat.example.com${path}`,
    ...credentials(declared),
    ...(declared.file === undefined ? [] : ["  -F filename=@picture.png"]),
    ...fields.map(([name, text]) => `  --data-urlencode '${name}=${text.replaceAll("'", String.raw`'\''`)}'`),
  ].join(" \\\n");
}

function credentials({ auth, only }: Endpoint): string[] {
  if (auth === "none") return [];
  if (only !== "browsers") return ["  -u you@example.com:YOUR_API_KEY"];
  return ["  -b '__Host-sessionid=YOUR_SESSION'", "  -H 'X-CSRFToken: YOUR_CSRF_TOKEN'"];
}
