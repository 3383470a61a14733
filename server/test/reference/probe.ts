/**
 * Finds out which errors an operation gives: repeats its example with one thing wrong at a time, and as other accounts. What
 * comes back is recorded word for word.
 */
import { isRequired, jsonOnWire, pathNames } from "@skein/api/endpoint.ts";
import { type AnyExample, Reference, type RouteName } from "@skein/api/examples/example.ts";
import { declarations, operations } from "@skein/api/examples/operations.ts";
import { encodeRoute } from "@skein/api/route.ts";
import type { RecordedError } from "../../src/http/reference/recorded.ts";
import { type Account, type Answer, callOf, type Performer, resolve, type Taken } from "./perform.ts";

/** Calls that would end the account which tries them. */
const onlyForOwners: ReadonlySet<RouteName> = new Set(["deactivateOwnUser", "regenerateApiKey", "deactivateRealm"]);
/** Calls that wait, or whose repetition would disturb others. */
const notRepeated: ReadonlySet<RouteName> = new Set(["getEvents", "deactivateRealm", "createExport"]);
/** Written examples whose call does not work with other parameters: those of a browser, of no particular file, of no JSON. */
const notProbed: ReadonlySet<RouteName> = new Set([
  "fetchOwnApiKey",
  "getFileTemporaryUrl",
  "getRealmIcon",
  "getRealmLogo",
]);

const unknownId = 999_999;

export interface Others {
  member: Account;
  guest: Account;
  bot: Account;
}

export async function probe(
  performer: Performer,
  name: RouteName,
  example: AnyExample,
  taken: Taken,
  others: Others,
): Promise<RecordedError[]> {
  const found = new Map<string, RecordedError>();
  const isRepeatable = !notRepeated.has(name) && !notProbed.has(name);
  /** What the example returns now, after it was run once. Changed calls may return the same, whatever was changed. */
  const again = isRepeatable ? await performer.send(callOf(name, example), taken) : undefined;
  const note = (when: string, { status, body }: Answer): void => {
    const { code, msg } = body as { code?: string; msg?: string };
    if (status < 400 || status >= 500 || code === undefined || msg === undefined) return;
    const isAsBefore = msg === again?.body["msg"] && !when.includes("does not exist");
    if ((isAsBefore || msg.includes("already")) && when !== againText(example)) return;
    if (!found.has(`${code} ${msg}`)) found.set(`${code} ${msg}`, { when, status, code, msg });
  };
  const call = callOf(name, example);
  const declared = declarations[name];
  const inPath = pathNames(declared.path);
  const { route, needsCredentials } = operations[name];
  const account =
    example.as === undefined ? performer.owner : { email: example.as.email, key: String(taken.get(example.as.key)) };

  /** The example with one parameter as other text, or without it. */
  const change = async (param: string, text: string | undefined): Promise<Answer> => {
    const { [param]: _old, ...rest } = resolve(example.params, taken) as Record<string, unknown>;
    const { path, form } = encodeRoute(route, rest);
    if (text !== undefined && !inPath.includes(param)) form.append(param, text);
    const filled = path.replace(`{${param}}`, () => encodeURIComponent(text ?? ""));
    return performer.request(route.method, filled, form, { account, file: example.file });
  };

  if (!notProbed.has(name))
    for (const [param, schema] of Object.entries(declared.params)) {
      const value = example.params[param];
      if (isRequired(schema) && !inPath.includes(param))
        note(`\`${param}\` is missing.`, await change(param, undefined));
      if (value === undefined) continue;
      if (isId(param, value)) {
        const text = Array.isArray(value) ? JSON.stringify([unknownId]) : String(unknownId);
        note(`\`${param}\` does not exist, or the caller may not know of it.`, await change(param, text));
      }
      if (jsonOnWire(schema) === undefined && !inPath.includes(param)) {
        note(`\`${param}\` is empty.`, await change(param, ""));
        note(`\`${param}\` is unknown: \`nonsense\`.`, await change(param, "nonsense"));
      } else if (jsonOnWire(schema) === "always")
        note(`\`${param}\` has another type.`, await change(param, '"nonsense"'));
    }
  if (example.file !== undefined) {
    const { file: _file, ...without } = call;
    note("There is no file.", await performer.send(without, taken));
  }
  if (again !== undefined) note(againText(example), again);
  if (isRepeatable && needsCredentials && !onlyForOwners.has(name) && example.as === undefined)
    for (const [role, other] of Object.entries(others) as [keyof Others, Account][])
      note(roleTexts[role], await performer.send(call, taken, other));
  if (needsCredentials) {
    const { status, body } = await performer.send(call, taken, { email: performer.owner.email, key: "wrong" });
    if (declared.only !== "browsers") note("The API key is wrong.", { status, body });
  }
  return [...found.values()].toSorted(
    (a, b) => a.status - b.status || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0),
  );
}

const againText = ({ refused }: AnyExample): string => refused ?? "The same call is made again.";

const roleTexts: Record<keyof Others, string> = {
  member: "The caller is a member, neither an administrator nor otherwise permitted.",
  guest: "The caller is a guest.",
  bot: "The caller is a bot.",
};

const isId = (param: string, value: unknown): boolean =>
  /_ids?$|^(messages|members|principals|order|add|delete|to)$/.test(param) &&
  (typeof value === "number" ||
    value instanceof Reference ||
    (Array.isArray(value) && value.every((item) => typeof item === "number" || item instanceof Reference)));
