/** An example as a TypeScript program that uses `@skein/api`. */
import { type AnyExample, type Caller, Reference, type RouteName, type Step } from "./example.ts";

const maxWidth = 76;

export function typescriptProgram(name: RouteName, example: AnyExample, site: string): string {
  if (example.written) return example.written.typescript(site);
  const steps = example.first ?? [];
  const calls = [...steps, { ...example, call: name }];
  const imports = [...new Set(["createClient", ...calls.map(({ call }) => call)])].toSorted();
  const lines = [
    ...(calls.some(({ file }) => file !== undefined) ? ['import { openAsBlob } from "node:fs";'] : []),
    importLine(imports),
    "",
    "const { SKEIN_EMAIL: email, SKEIN_API_KEY: apiKey } = process.env;",
    `const client = createClient({ site: "${site}", email, apiKey });`,
    "",
    ...steps.flatMap((step) => [stepLine(step), ...otherClient(step, example.as, site)]),
    ...(steps.length > 0 ? [""] : []),
    `const response = ${callText({ ...example, call: name }, "const response = ".length)};`,
    "console.log(response);",
  ];
  return lines.join("\n");
}

/** The client of another account, as soon as its key is known. */
const otherClient = ({ take }: Step, as: Caller | undefined, site: string): string[] =>
  as === undefined || take?.name !== as.key
    ? []
    : ["const other = createClient({", `  site: "${site}",`, `  email: "${as.email}",`, `  apiKey: ${as.key},`, "});"];

function importLine(names: string[]): string {
  const line = `import { ${names.join(", ")} } from "@skein/api";`;
  return line.length <= maxWidth ? line : `import {\n  ${names.join(",\n  ")},\n} from "@skein/api";`;
}

function stepLine(step: Step): string {
  if (!step.take) return `${callText(step, 0)};`;
  const { name, path } = step.take;
  const field = path.slice(1);
  if (/^\w+$/.test(field)) {
    const begin = `const { ${field === name ? name : `${field}: ${name}`} } = `;
    return `${begin}${callText(step, begin.length)};`;
  }
  // The fields of lists may be absent, which the program leaves out of account.
  const rest = path
    .replace(/\[\]\.(\w+)$/, ".map(({ $1 }) => $1)")
    .replace(/\[-1\]/, ".at(-1)!")
    .replaceAll(/\[(\d+)\]/g, "![$1]!");
  return `const ${name} = (${callText(step, 16)})${rest};`;
}

type Call = Pick<Step, "call" | "params" | "as" | "file">;

function callText({ call, params, as, file }: Call, indent: number): string {
  const client = as === undefined ? "client" : "other";
  const options = file === undefined ? "" : `, { file: await openAsBlob("${file}") }`;
  const begin = `await ${client}.call(${call}, `;
  return `${begin}${literal(params, indent + begin.length, 0)}${options})`;
}

/** A value as an expression, on one line if it fits behind `used` characters. */
function literal(value: unknown, used: number, depth: number): string {
  const line = oneLine(value);
  if (used + depth + line.length <= maxWidth || typeof value !== "object" || value === null) return line;
  if (value instanceof Reference) return line;
  const margin = " ".repeat(depth + 2);
  const end = " ".repeat(depth);
  if (Array.isArray(value)) {
    const items = value.map((item) => `${margin}${literal(item, 0, depth + 2)},\n`);
    return `[\n${items.join("")}${end}]`;
  }
  const members = Object.entries(value).map(
    ([key, inner]) => `${margin}${member(key, inner, literal(inner, keyText(key).length + 2, depth + 2))},\n`,
  );
  return `{\n${members.join("")}${end}}`;
}

function oneLine(value: unknown): string {
  if (value instanceof Reference) return value.name;
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => member(key, inner, oneLine(inner)));
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

const member = (key: string, value: unknown, text: string): string =>
  value instanceof Reference && value.name === key ? key : `${keyText(key)}: ${text}`;

const keyText = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));
