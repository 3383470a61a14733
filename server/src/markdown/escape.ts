/** Escaping functions, one for each kind of place in the HTML. */

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

/** Escapes any text for use as text or as an attribute's value, so that it is shown literally. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, codeFor);

/** For code: every ampersand is literal, and quotes need no escaping. */
export const escapeCode = (text: string): string => (special.test(text) ? text.replaceAll(/[&<>]/g, codeFor) : text);

/** For code without a language. */
export const escapeCodeAndQuotes = (text: string): string => text.replaceAll(/[&<>"']/g, codeFor);

/** Escapes the quotes in HTML whose quotes are still unescaped, except those inside tags. */
export const escapeQuotes = (html: string): string => html.replaceAll(/<[^>]*>|["']/g, codeFor);

/** For a formula that could not be typeset. */
export const escapeTex = (text: string): string => escapeHtml(text).replaceAll("'", "&#x27;");

/** For the text of an element: entities in it stay entities, except a star's, which only kept it from being markup. */
export function escapeText(text: string): string {
  if (!special.test(text)) return text;
  return text
    .replaceAll(bareAmpersand, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("&#42;", "*");
}

/** For the value of an attribute. */
export const escapeAttribute = (text: string): string => {
  const escaped = escapeText(text);
  return escaped.includes('"') ? escaped.replaceAll('"', "&quot;") : escaped;
};
