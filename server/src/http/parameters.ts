/** Decodes a form into a handler's parameters according to the declaration, and collects unknown ones. */
import type { z } from "zod";
import { aliasOf, jsonOnWire, pathNames, type Endpoint, type ParamTypes } from "@skein/api/endpoint.ts";
import { describeParameterError } from "@skein/api/errors.ts";
import { ApiError, missingParameter } from "../errors.ts";
import type { Form } from "./form.ts";

interface DeclaredParam {
  name: string;
  /** A plain string, not JSON. */
  isPlain: boolean;
  alias: string | undefined;
  inPath: boolean;
  isRequired: boolean;
  /** Its value when it is not sent, unless that is an object, which a handler might change. */
  absent: { value: unknown } | undefined;
  schema: ParamTypes[string];
}

/** What parsing needs to know about an endpoint, computed once. */
export interface ParameterPlan {
  declared: DeclaredParam[];
  known: Set<string>;
}

export function planParameters(endpoint: Endpoint): ParameterPlan {
  const inPath = new Set(pathNames(endpoint.path));
  const declared = Object.entries(endpoint.params).map(([name, schema]) => {
    const absent = schema.safeParse(undefined);
    return {
      name,
      alias: aliasOf(schema),
      isPlain: jsonOnWire(schema) === undefined,
      inPath: inPath.has(name),
      isRequired: !absent.success,
      absent: absent.success && typeof absent.data !== "object" ? { value: absent.data } : undefined,
      schema,
    };
  });
  const known = new Set(
    declared
      .filter((param) => !param.inPath)
      .flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias])),
  );
  return { declared, known };
}

/** Only the first issue is reported, and describing one per element of a long list is slow. (The option is not typed.) */
const firstIssue: z.core.ParseContext<z.core.$ZodIssue> & { abortEarly: true } = { abortEarly: true };

export function decodeParameters(
  plan: ParameterPlan,
  path: Record<string, string>,
  form: Form,
  jsonNames: ReadonlySet<string>,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const declared of plan.declared) {
    const text = declared.inPath ? path[declared.name] : lookUp(declared, form, jsonNames);
    if (text === undefined && declared.isRequired) throw missingParameter(declared.name);
    if (text === undefined && declared.absent) {
      params[declared.name] = declared.absent.value;
      continue;
    }
    const result = declared.schema.safeParse(text, firstIssue);
    if (!result.success) throw new ApiError(describeParameterError(declared.name, result.error.issues));
    params[declared.name] = result.data;
  }
  return params;
}

function lookUp(declared: DeclaredParam, form: Form, jsonNames: ReadonlySet<string>): string | undefined {
  const name = givenName(declared, form);
  if (!declared.isPlain || name === undefined || !jsonNames.has(name)) return name && form.get(name);
  const text = textOf(form, jsonNames, name);
  if (text === undefined) throw new ApiError(`${name} is not a string`);
  return text;
}

/** The name under which the parameter was sent. */
function givenName({ name, alias }: DeclaredParam, form: Form): string | undefined {
  if (alias === undefined || !form.has(alias)) return form.has(name) ? name : undefined;
  if (form.has(name))
    throw new ApiError(`Can't decide between '${name}' and '${alias}' arguments`, {
      code: "REQUEST_CONFUSING_VAR",
      data: { var_name1: name, var_name2: alias },
    });
  return alias;
}

/** A string field; undefined if it is missing, or not a string in a JSON body. */
export function textOf(form: Form, jsonNames: ReadonlySet<string>, name: string): string | undefined {
  const text = form.get(name);
  if (text === undefined || !jsonNames.has(name)) return text;
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : undefined;
}

/** Parameters that the caller sent and the endpoint does not declare. */
export function unsupportedNames(plan: ParameterPlan, form: Form): string[] {
  const names: string[] = [];
  for (const name of form.keys()) if (!plan.known.has(name)) names.push(name);
  return names.toSorted();
}
