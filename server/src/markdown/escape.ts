/** Escaping, each form for one place in the HTML. */

const codes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const codeFor = (character: string): string => codes[character] ?? character;

const special = /[&<>]/;
/** An ampersand that does not begin an entity. */
const bareAmpersand = /&(?!(?:#[0-9]+|#x[0-9a-f]+|[0-9a-z]+);)/gi;

/** Any text as text or as an attribute's value: what comes out shows what went in. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, codeFor);

/** Code: every ampersand is meant literally, quotes need nothing. */
export const escapeCode = (text: string): string => (special.test(text) ? text.replaceAll(/[&<>]/g, codeFor) : text);

/** Code that names no language. */
export const escapeCodeAndQuotes = (text: string): string => text.replaceAll(/[&<>"']/g, codeFor);

/** Quotes in HTML that was escaped without them, those of its tags excepted. */
export const escapeQuotes = (html: string): string => html.replaceAll(/<[^>]*>|["']/g, codeFor);

/** A formula that failed. */
export const escapeTex = (text: string): string => escapeHtml(text).replaceAll("'", "&#x27;");

/** Text of an element: what has the shape of an entity stays one. */
export function escapeText(text: string): string {
  if (!special.test(text)) return text;
  return text.replaceAll(bareAmpersand, "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Value of an attribute. */
export const escapeAttribute = (text: string): string => {
  const escaped = escapeText(text);
  return escaped.includes('"') ? escaped.replaceAll('"', "&quot;") : escaped;
};
