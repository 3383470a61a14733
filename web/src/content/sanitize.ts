/**
 * Sanitizing for browsers without `setHTML`: the same allow-list and rules. The HTML is parsed in a document that runs and
 * loads nothing, and everything not on the list is removed with its contents.
 * **Invariant:** the result is moved as nodes and never serialized again, so no second parse can read it differently.
 */
import { allowedHtml, allowedMath } from "./allow-list.ts";

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string },
  ) => { createHTML: (html: string) => string };
}

/** The only policy the page's headers allow; nothing outside this file can reach it. */
let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

function parse(html: string, holder: Element): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("skein", { createHTML: (text) => text });
  holder.innerHTML = policy?.createHTML(html) ?? html;
}

const allowed: ReadonlyMap<string, Readonly<Record<string, readonly string[]>>> = new Map([
  ["http://www.w3.org/1999/xhtml", allowedHtml],
  ["http://www.w3.org/1998/Math/MathML", allowedMath],
]);

/** Not `element.remove()`, which a form's own fields can shadow. */
const removeElement = (element: Element): void => Element.prototype.remove.call(element);

/** `holder` belongs to a document without a window. */
export function setMessage(holder: Element, html: string): void {
  parse(html, holder);
  const comments = document.createNodeIterator(
    holder,
    NodeFilter.SHOW_COMMENT | NodeFilter.SHOW_PROCESSING_INSTRUCTION,
  );
  for (let node = comments.nextNode(); node; node = comments.nextNode()) node.parentNode?.removeChild(node);
  for (const element of holder.querySelectorAll("*")) {
    const table = allowed.get(element.namespaceURI ?? "");
    const attributes = table && Object.hasOwn(table, element.localName) ? table[element.localName] : undefined;
    if (!attributes) removeElement(element);
    else
      for (const attribute of Array.from(element.attributes))
        if (attribute.namespaceURI !== null || !attributes.includes(attribute.name))
          element.removeAttributeNode(attribute);
  }
}

/** For reading only: removes what could run, and nothing else. */
export function setPasted(holder: Element, html: string): void {
  parse(html, holder);
  for (const element of holder.querySelectorAll("script, iframe, frame, object, embed")) removeElement(element);
}
