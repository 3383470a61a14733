/** An example as commands for a shell, with curl and jq. */
import type { Route } from "../route.ts";
import { type AnyExample, type Caller, Reference, type RouteName, type Step } from "./example.ts";

export interface Operation {
  route: Route<unknown>;
  /** Parameters that are JSON, or plain text if that is no JSON. */
  orText: readonly string[];
  needsCredentials: boolean;
}

type Call = Pick<Step, "call" | "params" | "as" | "file">;

export interface CurlOptions {
  site: string;
  operations: Record<RouteName, Operation>;
}

/** The steps, an empty line, and the call itself. */
export function curlCommands(name: RouteName, example: AnyExample, options: CurlOptions): string {
  if (example.written) return example.written.curl(options.site);
  const steps = (example.first ?? []).map((step) => {
    const command = curl(step, options);
    return step.take
      ? `${step.take.name}=$(${command} | jq -r ${jqFilter(step.take.path)})`
      : `${command} -o /dev/null`;
  });
  const main = curl({ ...example, call: name }, options);
  return [...(steps.length > 0 ? [...steps, ""] : []), main].join("\n");
}

const jqFilter = (path: string): string =>
  path.includes("[]") ? `-c '[${path}]'` : path.includes("[") ? `'${path}'` : path;

function curl({ call, params, as, file }: Call, { site, operations }: CurlOptions): string {
  const { route, orText, needsCredentials } = operations[call];
  const { method, path } = route;
  const isText = (name: string, value: unknown): boolean =>
    route.texts.includes(name) || (orText.includes(name) && typeof value === "string");
  const inPath = Object.entries(params).filter(([name]) => path.includes(`{${name}}`));
  const inForm = Object.entries(params).filter(([name]) => !path.includes(`{${name}}`));
  const filled = inPath.reduce(
    (done, [name, value]) => done.replace(`{${name}}`, () => wireText(value, isText(name, value), encodeURIComponent)),
    path,
  );
  const fields = inForm.map(([name, value]) =>
    fieldOption(name, wireText(value, isText(name, value)), file !== undefined),
  );
  const sendsBody = fields.length > 0 || file !== undefined;
  const verb =
    method === "GET" ? (fields.length > 0 ? " -G" : "") : method === "POST" && sendsBody ? "" : ` -X ${method}`;
  return [
    `curl -sS${verb} "${site}/api/v1${filled}"`,
    ...(needsCredentials ? [`-u ${credentials(as)}`] : []),
    ...(file === undefined ? [] : [`-F file=@${file}`]),
    ...fields,
  ].join(" \\\n  ");
}

const credentials = (as: Caller | undefined): string =>
  as === undefined ? '"$SKEIN_EMAIL:$SKEIN_API_KEY"' : `"${as.email}:$${as.key}"`;

/** The text of a parameter, in which `$name` refers to a variable of the shell, escaped for double quotes. */
function wireText(value: unknown, isText: boolean, encode = (text: string): string => text): string {
  const inside = (text: string): string => encode(text).replaceAll(/[\\"$`]/g, String.raw`\$&`);
  if (value instanceof Reference) return `$${value.name}`;
  if (isText) return inside(value as string); // by its declaration
  // References inside of lists and objects are marked, and become variables once everything else is escaped.
  const marked = JSON.stringify(value, (_key, inner: unknown) => (inner instanceof Reference ? mark(inner) : inner));
  return inside(marked).replaceAll(/\\"⟦(\w+)⟧\\"/g, "$$$1");
}

const mark = ({ name }: Reference): string => `⟦${name}⟧`;

/** The shortest option that sends the field as it is. */
function fieldOption(name: string, escaped: string, isMultipart: boolean): string {
  const isPlain = /^[\w.,-]+$/.test(escaped);
  const hasVariable = /(?<!\\)\$/.test(escaped);
  const raw = escaped.replaceAll(/\\([\\"$`])/g, "$1");
  const quoted = isPlain
    ? `${name}=${raw}`
    : hasVariable || raw.includes("'")
      ? `"${name}=${escaped}"`
      : `'${name}=${raw}'`;
  if (isMultipart) return `-F ${quoted}`;
  return `${isPlain || (hasVariable && /^[$\w[\],.-]+$/.test(escaped)) ? "-d" : "--data-urlencode"} ${quoted}`;
}
