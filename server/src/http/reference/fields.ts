/** Parameters, fields and types of the contract as HTML. */
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
} from "@skein/api/endpoint.ts";
import { parameterSchema, type JsonSchema } from "@skein/api/openapi.ts";
import { propertiesOf, typeText } from "@skein/api/schema-text.ts";
import { type Html, markup } from "../../platform/markup.ts";
import { prose, together } from "./code.ts";

interface Field {
  name: string;
  type: string;
  notes: string[];
  isRequired?: boolean;
  text: string;
}

const fieldList = (fields: readonly Field[]): Html =>
  markup`<dl class="fields">
${fields.map(
  (field) => markup`<div><dt><code>${field.name}</code><span class="type">${typeLinks(field.type)}</span>${
    field.isRequired ? markup`<span class="required">required</span>` : undefined
  }${field.notes.length > 0 ? markup`<span class="note">${field.notes.join(" · ")}</span>` : undefined}</dt>
<dd>${prose(field.text)}</dd></div>`,
)}
</dl>`;

/** Named types begin with a capital letter, and are explained on the same page. */
const typeLinks = (type: string): Html =>
  together(
    type
      .split(/(?<![\w"])([A-Z]\w+)(?![\w"])/)
      .map((part, index) => (index % 2 === 0 ? markup`${part}` : markup`<a href="#type-${part}">${part}</a>`)),
  );

export function parameterList(declared: Endpoint): Html {
  const inPath = pathNames(declared.path);
  const fields = Object.entries(declared.params).map(([name, parameter]) => ({
    name,
    type: typeText(parameterSchema(parameter, {})),
    isRequired: isRequired(parameter),
    notes: notesOn(parameter, inPath.includes(name)),
    text: descriptionOf(parameter),
  }));
  if (declared.file !== undefined) {
    fields.push({
      name: "filename",
      type: "file",
      isRequired: !declared.fileIsOptional,
      notes: ["in a multipart body"],
      text: declared.file,
    });
  }
  return fields.length === 0 ? markup`<p>None.</p>` : fieldList(fields);
}

function notesOn(parameter: WireParam, inPath: boolean): string[] {
  const fallback = defaultOf(parameter);
  const other = aliasOf(parameter);
  const wire = jsonOnWire(parameter);
  return [
    ...(inPath ? ["in the path"] : []),
    ...(wire === "always" && !inPath ? ["JSON"] : wire === "or text" ? ["JSON or text"] : []),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ...(other === undefined ? [] : [`older name ${other}`]),
    ...(isDeprecated(parameter) ? ["deprecated"] : []),
  ];
}

export const schemaFields = (schema: JsonSchema, omitted: readonly string[] = []): Html =>
  fieldList(
    propertiesOf(schema)
      .filter(([name]) => !omitted.includes(name))
      .map(([name, inner, isAlways]) => ({
        name,
        type: typeText(inner),
        notes: isAlways ? [] : ["may be absent"],
        text: typeof inner["description"] === "string" ? inner["description"] : "",
      })),
  );

export const namedType = ([name, schema]: [string, JsonSchema]): Html =>
  markup`<h3 id="type-${name}">${name}</h3>${
    schema["properties"] ? schemaFields(schema) : markup`<p><code>${typeText(schema)}</code></p>`
  }`;
