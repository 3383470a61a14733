/**
 * What a client calls itself, from its User-Agent: the words before the first `/` or ` (`. A browser is the web
 * client; nothing at all is `Unspecified`.
 */
export function clientName(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.trim() === "") return "Unspecified";
  const [name = ""] = userAgent.split(/\/| \(/, 1);
  const trimmed = name.trim();
  if (trimmed === "Mozilla") return "website";
  return [...(trimmed === "" ? "Unspecified" : trimmed)].slice(0, 30).join("");
}
