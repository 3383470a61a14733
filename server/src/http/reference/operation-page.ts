/** The page of an operation: what it does, its parameters, and a command that works with what it returns. */
import type { Endpoint } from "@skein/api/endpoint.ts";
import { examples } from "@skein/api/examples/all.ts";
import { curlCommands } from "@skein/api/examples/curl.ts";
import type { AnyExample, RouteName } from "@skein/api/examples/example.ts";
import { operations } from "@skein/api/examples/operations.ts";
import { typescriptProgram } from "@skein/api/examples/typescript.ts";
import { documentPath, parameterSchema, toOpenApi, type JsonSchema, type OpenApiDocument } from "@skein/api/openapi.ts";
import { namedTypes } from "@skein/api/schema-text.ts";
import { type Html, markup } from "../../platform/markup.ts";
import { jsonCode, prose, shellBlock, typescriptBlock } from "./code.ts";
import { slugOf } from "./event-names.ts";
import { namedType, parameterList, schemaFields } from "./fields.ts";
import { linkTo, type View } from "./layout.ts";
import type { RecordedError, RecordedOperation } from "./recorded.ts";

/** The full path of an endpoint. */
export const placeOf = ({ only, path }: Endpoint): string => `${only === "browsers" ? "/json" : "/api/v1"}${path}`;

export const methodTag = ({ method }: Endpoint): Html => markup`<span class="method ${method}">${method}</span>`;

export function operationPage(
  declared: Endpoint,
  name: RouteName,
  recorded: RecordedOperation | undefined,
  site: string,
): View {
  const document = toOpenApi([declared]);
  const response = responseSchema(declared, document);
  const parameters = Object.values(declared.params).map((parameter) => parameterSchema(parameter, {}));
  const named = namedTypes([...parameters, response], document.components.schemas);
  return {
    title: declared.summary,
    body: markup`<h1>${declared.summary}</h1>
<p class="route">${methodTag(declared)} <code>${placeOf(declared)}</code>${
      declared.deprecated ? markup` <em>deprecated</em>` : undefined
    }</p>
<p class="lead">${prose(declared.description)}</p>
<div class="two">
<div>
${credentialsNote(declared)}
${stepUpNote(declared)}
<h2>Parameters</h2>
${parameterList(declared)}
<h2>Response</h2>
${schemaFields(response, ["result", "msg", "ignored_parameters_unsupported"])}
<p class="note">Besides <code>result</code>, <code>msg</code> and, if there were any, <code>ignored_parameters_unsupported</code>.</p>
${named.map(namedType)}
<h2>Errors</h2>
${errorTable(recorded?.errors ?? [])}
<h2>Events</h2>
${eventLinks(recorded?.events ?? [])}
</div>
<div class="beside">
${exampleOf(name, recorded, site)}
</div>
</div>`,
  };
}

function credentialsNote({ auth, only, scope }: Endpoint): Html {
  if (auth === "none") return markup`<p>Needs no credentials.</p>`;
  if (only !== "browsers")
    return scope === null
      ? markup`<p>Works with every key.</p>`
      : markup`<p>Needs a key with the <a href="${linkTo("authentication")}">scope</a> <code>${scope}</code>.</p>`;
  return markup`<p>Only for browsers that are signed in: see <a href="${linkTo("authentication")}">Authentication</a>.</p>`;
}

/** `role` 100 or 200; `name`. */
const conditionText = ([name, values]: [string, unknown]): Html =>
  Array.isArray(values) ? markup`<code>${name}</code> ${values.join(" or ")}` : markup`<code>${name}</code>`;

function stepUpNote({ stepUp }: Endpoint): Html | undefined {
  if (stepUp === undefined) return undefined;
  const link = markup`<a href="${linkTo("authentication")}">confirm who they are</a>`;
  if (stepUp === true) return markup`<p>In a browser, people first have to ${link}.</p>`;
  return markup`<p>In a browser, people first have to ${link} if there is ${Object.entries(stepUp).map(conditionText)}.</p>`;
}

function responseSchema(declared: Endpoint, document: OpenApiDocument): JsonSchema {
  // The document was generated from this declaration, so its structure is known.
  const operation = document.paths[documentPath(declared)]?.[declared.method.toLowerCase()] as unknown as {
    responses: { 200: { content: { "application/json": { schema: JsonSchema } } } };
  };
  return operation.responses[200].content["application/json"].schema;
}

const errorTable = (errors: readonly RecordedError[]): Html => markup`${
  errors.length === 0
    ? undefined
    : markup`<div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">Code and message</th><th scope="col">When</th></tr></thead>
<tbody>
${errors.map(
  ({ status, code, msg, when }) =>
    markup`<tr><td>${status}</td><th scope="row"><code>${code}</code><br>${msg}</th><td>${prose(when)}</td></tr>`,
)}
</tbody></table></div>`
}
<p>The server gave these when the example was called with something wrong. <a href="${linkTo("errors")}">Errors</a> describes
their form and the codes that any operation can give.</p>`;

const eventLinks = (events: readonly string[]): Html =>
  events.length === 0
    ? markup`<p>The example causes none.</p>`
    : markup`<p>The example causes these, in the <a href="${linkTo("event-queues")}">queues</a> of those concerned:</p>
<ul class="links">
${events.map((name) => markup`<li><a href="${linkTo(`events/${slugOf(name)}`)}"><code>${name}</code></a></li>`)}
</ul>`;

function exampleOf(name: RouteName, recorded: RecordedOperation | undefined, site: string): Html {
  const example: AnyExample = examples[name];
  const curl = curlCommands(name, example, { site, operations });
  const typescript = typescriptProgram(name, example, site);
  return markup`<fieldset class="tabs"><legend>Example</legend>
<input type="radio" name="language" id="use-curl" class="use-curl" value="curl" checked><label for="use-curl">curl</label>
<input type="radio" name="language" id="use-typescript" class="use-typescript" value="typescript"><label for="use-typescript">TypeScript</label>
<div class="in-curl">${shellBlock("curl", curl)}</div>
<div class="in-typescript">${typescriptBlock("TypeScript", typescript)}</div>
</fieldset>
${recorded === undefined ? undefined : responseBlock(recorded)}
${example.refused === undefined ? undefined : markup`<p class="note">${example.refused}</p>`}
<p class="note">Set <code>SKEIN_EMAIL</code> and <code>SKEIN_API_KEY</code> first; see <a href="${linkTo("authentication")}">Authentication</a>.
The response is from the demo organization.</p>`;
}

const responseBlock = ({ status, response }: RecordedOperation): Html =>
  markup`<figure class="code"><figcaption>Response <span class="status${status >= 400 ? " refused" : ""}">${status}</span><button type="button" class="copy" hidden>Copy</button></figcaption>
<pre tabindex="0" aria-label="Response"><code>${jsonCode(response)}</code></pre></figure>`;
