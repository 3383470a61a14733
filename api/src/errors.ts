/** The error message for a parameter that does not parse: its first problem, and where it is. */
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const kinds: Record<string, string> = {
  array: "a list",
  tuple: "a list",
  boolean: "a boolean",
  int: "an integer",
  number: "an integer",
  object: "a dict",
  record: "a dict",
  string: "a string",
};

export function describeParameterError(name: string, issues: readonly Issue[]): string {
  const first = issues[0];
  return first ? describe(name, first) : `Invalid ${name}`;
}

function describe(parameter: string, issue: Issue): string {
  const place = placeOf(parameter, issue.path);
  if (issue.path.length > 0 && isMissing(issue)) return `${place} field is missing`;
  switch (issue.code) {
    case "invalid_union": {
      const closest = closestBranch(issue.errors);
      return closest ? describe(place, closest) : `Invalid ${place}`;
    }
    case "invalid_type": {
      const kind = kinds[issue.expected];
      return kind ? `${place} is not ${kind}` : `Invalid ${place}`;
    }
    case "too_big":
      if (issue.origin === "string") return `${place} is too long (limit: ${issue.maximum} characters)`;
      if (issue.origin === "array") return `${place} is too long (limit: ${issue.maximum} elements)`;
      // Numbers that JavaScript cannot represent exactly are rejected.
      return issue.origin === "int" ? `${place} is not an integer` : `Invalid ${place}`;
    case "too_small":
      if (issue.origin === "string") return `${place} cannot be blank`;
      return issue.origin === "int" ? `${place} is not an integer` : `Invalid ${place}`;
    case "unrecognized_keys":
      return `Argument "${issue.keys[0] ?? ""}" at ${place} is unexpected`;
    case "custom":
      if (issue.params?.["wire"] === "json") return `${place} is not valid JSON`;
      return issue.params?.["wire"] === "size" ? `${place} has too many values` : `Invalid ${place}`;
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_value":
    case "not_multiple_of":
      return `Invalid ${place}`;
  }
}

const placeOf = (parameter: string, path: readonly PropertyKey[]): string =>
  parameter + path.map((step) => (typeof step === "number" ? `[${step}]` : `["${String(step)}"]`)).join("");

/** An issue includes the input only if `reportInput` was set, but its message always states it. */
const isMissing = (issue: Issue): boolean =>
  ("input" in issue && issue.input === undefined) ||
  (issue.code === "invalid_type" && issue.message.endsWith("received undefined"));

/** The union member's error that fits the value best; the first one if several fit equally well. */
function closestBranch(branches: readonly (readonly Issue[])[]): Issue | undefined {
  let closest: Issue | undefined;
  for (const [issue] of branches) {
    if (issue && (!closest || distance(issue) > distance(closest))) closest = issue;
  }
  return closest;
}

/** How far parsing got before it failed: deeper is further, and a wrong value is further than a wrong type. */
function distance(issue: Issue): number {
  const depth = issue.path.length;
  // A non-integer number is a wrong value, although zod calls it a wrong type.
  if (issue.code === "invalid_type" && issue.expected !== "int") return depth;
  if (issue.code !== "invalid_union") return depth + 0.5;
  const closest = closestBranch(issue.errors);
  return depth + (closest ? distance(closest) : 0);
}
