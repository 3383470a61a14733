/** From a form to what a handler is given: decoded by the declaration, with what it does not know set aside. */
import { aliasOf, pathNames, type Endpoint, type ParamTypes } from "@skein/api/endpoint.ts";
import { describeParameterError } from "@skein/api/errors.ts";
import { ApiError, missingParameter } from "../errors.ts";
import type { Form } from "./form.ts";

interface DeclaredParam {
  name: string;
  alias: string | undefined;
  inPath: boolean;
  isRequired: boolean;
  schema: ParamTypes[string];
}

/** What parsing needs to know of an endpoint, worked out once. */
export interface ParameterPlan {
  declared: DeclaredParam[];
  known: Set<string>;
}

export function planParameters(endpoint: Endpoint): ParameterPlan {
  const inPath = new Set(pathNames(endpoint.path));
  const declared = Object.entries(endpoint.params).map(([name, schema]) => ({
    name,
    alias: aliasOf(schema),
    inPath: inPath.has(name),
    isRequired: !schema.safeParse(undefined).success,
    schema,
  }));
  const known = new Set(
    declared
      .filter((param) => !param.inPath)
      .flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias])),
  );
  return { declared, known };
}

export function decodeParameters(
  plan: ParameterPlan,
  path: Record<string, string>,
  form: Form,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const declared of plan.declared) {
    const text = declared.inPath ? path[declared.name] : lookUp(declared, form);
    if (text === undefined && declared.isRequired) throw missingParameter(declared.name);
    const result = declared.schema.safeParse(text);
    if (!result.success) throw new ApiError(describeParameterError(declared.name, result.error.issues));
    params[declared.name] = result.data;
  }
  return params;
}

function lookUp({ name, alias }: DeclaredParam, form: Form): string | undefined {
  const value = form.get(name);
  if (alias === undefined) return value;
  const older = form.get(alias);
  if (value !== undefined && older !== undefined)
    throw new ApiError(`Can't decide between '${name}' and '${alias}' arguments`, {
      code: "REQUEST_CONFUSING_VAR",
      data: { var_name1: name, var_name2: alias },
    });
  return value ?? older;
}

/** Names the caller sent and the endpoint does not take. */
export function unsupportedNames(plan: ParameterPlan, form: Form): string[] {
  const names: string[] = [];
  for (const name of form.keys()) if (!plan.known.has(name)) names.push(name);
  return names.toSorted();
}
