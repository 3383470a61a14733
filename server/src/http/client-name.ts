/**
 * The name of a client from its User-Agent: the words before the first `/` or ` (`. Browsers count as the web client; an
 * empty header gives `Unspecified`.
 */
export function clientName(userAgent: string | undefined): string {
  const known = names.get(userAgent);
  if (known !== undefined) return known;
  if (names.size >= maxCached) names.clear();
  const name = readName(userAgent);
  names.set(userAgent, name);
  return name;
}

/** A cache, because there are few clients and many requests. */
const names = new Map<string | undefined, string>();
const maxCached = 1000;

function readName(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.trim() === "") return "Unspecified";
  const [name = ""] = userAgent.split(/\/| \(/, 1);
  const trimmed = name.trim();
  if (trimmed === "Mozilla") return "website";
  return [...(trimmed === "" ? "Unspecified" : trimmed)].slice(0, 30).join("");
}
