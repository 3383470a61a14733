/** What a caller is told about a parameter that does not parse: the first thing wrong with it, and where. */
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
      // A number JavaScript cannot hold exactly is none we can use.
      return issue.origin === "int" ? `${place} is not an integer` : `Invalid ${place}`;
    case "too_small":
      if (issue.origin === "string") return `${place} cannot be blank`;
      return issue.origin === "int" ? `${place} is not an integer` : `Invalid ${place}`;
    case "unrecognized_keys":
      return `Argument "${issue.keys[0] ?? ""}" at ${place} is unexpected`;
    case "custom":
      return issue.params?.["wire"] === "json" ? `${place} is not valid JSON` : `Invalid ${place}`;
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

/** The input is only in the issue for callers who had it reported; the message always tells. */
const isMissing = (issue: Issue): boolean =>
  ("input" in issue && issue.input === undefined) ||
  (issue.code === "invalid_type" && issue.message.endsWith("received undefined"));

/** Of the ways in which a value is none of a union, the one that fits it best; the first of equals. */
function closestBranch(branches: readonly (readonly Issue[])[]): Issue | undefined {
  let closest: Issue | undefined;
  for (const [issue] of branches) {
    if (issue && (!closest || distance(issue) > distance(closest))) closest = issue;
  }
  return closest;
}

/** How far parsing came before it failed: deeper is further, and a wrong value is further than a wrong type. */
function distance(issue: Issue): number {
  const depth = issue.path.length;
  // A number that is no integer is a wrong value, though zod calls it a wrong type.
  if (issue.code === "invalid_type" && issue.expected !== "int") return depth;
  if (issue.code !== "invalid_union") return depth + 0.5;
  const closest = closestBranch(issue.errors);
  return depth + (closest ? distance(closest) : 0);
}
