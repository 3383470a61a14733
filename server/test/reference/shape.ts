/** What a recorded response keeps of a real one, and how two responses are compared. */

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const keptItems = 2;
const keptText = 300;

const secretNames = /^(api_key|token|confirmation_key)$/;

/** Long lists and texts are cut, and say so; secrets are replaced. */
export function shorten(value: Json, name = ""): Json {
  if (typeof value === "string") {
    if (secretNames.test(name) && value.length > 8) return "•".repeat(value.length);
    return value.length > keptText ? `${value.slice(0, keptText)}…` : value;
  }
  if (Array.isArray(value)) {
    if (value.length <= keptItems + 1) return value.map((item) => shorten(item));
    const isOfNumbers = value.every((item) => typeof item === "number");
    const kept = isOfNumbers ? 5 : keptItems;
    if (value.length <= kept + 1) return value;
    return [...value.slice(0, kept).map((item) => shorten(item)), more(value.length - kept)];
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (!isDictionary(value) || entries.length <= keptItems + 1)
    return Object.fromEntries(entries.map(([key, inner]) => [key, shorten(inner, key)]));
  const kept = entries.slice(0, keptItems).map(([key, inner]) => [key, shorten(inner, key)] as const);
  return { ...Object.fromEntries(kept), "…": more(entries.length - keptItems) };
}

const more = (count: number): string => `… ${count} more`;
const isMore = (value: Json): boolean => typeof value === "string" && /^… \d+ more$/.test(value);

/** An object whose keys are data: ids, e-mail addresses. */
const isDictionary = (value: { [key: string]: Json }): boolean => {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => /^\d+$/.test(key) || key.includes("@") || key === "…");
};

/** The paths of a response with their types: `messages[].id number`. */
export function shapeOf(value: Json, path = ""): Set<string> {
  const found = new Set<string>();
  visit(value, path, found);
  return found;
}

function visit(value: Json, path: string, found: Set<string>): void {
  if (isMore(value)) return;
  if (Array.isArray(value)) {
    found.add(`${path} list`);
    for (const item of value) visit(item, `${path}[]`, found);
  } else if (typeof value === "object" && value !== null) {
    const isKeyed = isDictionary(value);
    if (path !== "") found.add(`${path} object`);
    for (const [key, inner] of Object.entries(value)) visit(inner, isKeyed ? `${path}{}` : `${path}.${key}`, found);
  } else found.add(`${path} ${value === null ? "null" : typeof value}`);
}
