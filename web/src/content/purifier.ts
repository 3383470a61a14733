/** Sanitising where the browser cannot do it itself; a chunk of its own that most never load. */
import purify from "dompurify";
import { allowedHtml, allowedMath } from "./allow-list.ts";

const attributes = new Set([...Object.values(allowedHtml), ...Object.values(allowedMath)].flat());

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string; createScriptURL: (url: string) => string },
  ) => never;
}

// The one policy the page's headers name. What it makes is parsed by the purifier and nothing else.
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("skein", {
  createHTML: (html) => html,
  createScriptURL: () => "",
});
const trust = policy === undefined ? {} : { TRUSTED_TYPES_POLICY: policy };

export const purifyMessage = (html: string): DocumentFragment =>
  purify.sanitize(html, {
    ...trust,
    ALLOWED_TAGS: [...Object.keys(allowedHtml), ...Object.keys(allowedMath)],
    ALLOWED_ATTR: [...attributes],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    // Judged by insert.ts, which knows the dialect's schemes.
    ALLOWED_URI_REGEXP: /^(?!\s*(?:javascript|data|vbscript|blob):)/i,
    RETURN_DOM_FRAGMENT: true,
  });

export const purifyAnything = (html: string): DocumentFragment =>
  purify.sanitize(html, { ...trust, RETURN_DOM_FRAGMENT: true });
