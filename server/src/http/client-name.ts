/**
 * What a client calls itself, from its User-Agent: the words before the first `/` or ` (`. A browser is the web
 * client; nothing at all is `Unspecified`.
 */
export function clientName(userAgent: string | undefined): string {
  const known = names.get(userAgent);
  if (known !== undefined) return known;
  if (names.size >= maxRemembered) names.clear();
  const name = readName(userAgent);
  names.set(userAgent, name);
  return name;
}

/** There are few clients and many requests. */
const names = new Map<string | undefined, string>();
const maxRemembered = 1000;

function readName(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.trim() === "") return "Unspecified";
  const [name = ""] = userAgent.split(/\/| \(/, 1);
  const trimmed = name.trim();
  if (trimmed === "Mozilla") return "website";
  return [...(trimmed === "" ? "Unspecified" : trimmed)].slice(0, 30).join("");
}
