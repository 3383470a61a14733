/**
 * Reads a SAML response before anybody has verified it, and refuses all that no identity provider sends but that attacks are
 * made of: document types, entities, comments, a second assertion, signatures at other places, repeated IDs, algorithms that
 * are broken or unknown, and sizes that are expensive. What passes is parsed and verified by verify.ts.
 *
 * **Invariant:** there is one response, the root, and one assertion, its child; a signature is a child of one of the two. So
 * whatever is signed, it is not something else than what is read.
 */
import { ProviderProblem } from "../identity-providers/provider-problem.ts";

/** Of the base64 text. No larger body is accepted from anybody who is not signed in. */
const maxLength = 64 * 1024;
const maxElements = 2000;
const maxDepth = 20;

const acceptedAlgorithms = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
  "http://www.w3.org/2001/10/xml-exc-c14n#",
  "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
]);

/** What the response says of itself. Nobody has signed it, unless the whole response is signed. */
export interface ResponseText {
  xml: string;
  inResponseTo: string | undefined;
  destination: string | undefined;
  issuer: string | undefined;
  /** `Success`, or why there is no assertion. */
  status: string;
  isResponseSigned: boolean;
}

const refuse = (reason: string): never => {
  throw new ProviderProblem(`the SAML response ${reason}`);
};

export function readResponseText(base64: string): ResponseText {
  if (base64.length > maxLength) refuse("is too long");
  const plain = base64.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) refuse("is not base64");
  const xml = decode(Buffer.from(plain, "base64"));
  const declaration =
    /^\uFEFF?(?:<\?xml version=["']1\.0["'](?: encoding=["']utf-8["'])?(?: standalone=["']\w+["'])? ?\?>)?\s*/i.exec(
      xml,
    );
  const text = xml.slice(declaration?.[0].length ?? 0);
  if (/<[!?]/.test(text)) refuse("contains a document type, a comment or an instruction");
  if (/[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/u.test(text)) refuse("contains a control character");
  if (/&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i.test(text)) refuse("contains an unknown entity");
  return readElements(text);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse("is not UTF-8");
  }
}

interface Element {
  name: string;
  local: string;
  attributes: Map<string, string>;
  /** The text before its first child. */
  text: string;
  parent: Element | undefined;
}

const tag = /<(\/?)([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const attribute = /\s+([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** All elements in their order. Throws unless the tags are those of one tree. */
function listElements(xml: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  let at = 0;
  for (let start = xml.indexOf("<"); start >= 0; start = xml.indexOf("<", at)) {
    if (open.length === 0 && xml.slice(at, start).trim() !== "") refuse("has text outside of its elements");
    tag.lastIndex = start;
    const [whole, close, name, attributes = "", empty] = tag.exec(xml) ?? refuse("has an invalid tag");
    at = start + (whole ?? "").length;
    if (name === undefined) return refuse("has an invalid tag");
    if (close === "/") {
      if (open.pop()?.name !== name || attributes !== "") refuse("has tags that do not match");
      continue;
    }
    if (open.length === 0 && elements.length > 0) refuse("has several roots");
    const end = xml.indexOf("<", at);
    const text = empty === "/" || end < 0 ? "" : xml.slice(at, end);
    const element = { name, local: localName(name), attributes: readAttributes(attributes), text, parent: open.at(-1) };
    elements.push(element);
    if (empty !== "/") open.push(element);
    if (elements.length > maxElements || open.length > maxDepth) refuse("has too many elements");
  }
  if (open.length > 0 || xml.slice(at).trim() !== "") refuse("is cut off");
  return elements;
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of text.matchAll(attribute)) {
    if (attributes.has(name)) refuse("repeats an attribute");
    attributes.set(name, double ?? single ?? "");
  }
  return attributes;
}

function readElements(xml: string): ResponseText {
  const elements = listElements(xml);
  const [root] = elements;
  if (root?.local !== "Response") return refuse("is no response");
  const named = (...locals: string[]) => elements.filter(({ local }) => locals.includes(local));
  if (named("Response").length !== 1) refuse("contains another response");
  if (named("EncryptedAssertion", "EncryptedID", "EncryptedAttribute").length > 0) refuse("is encrypted");
  const assertions = named("Assertion");
  if (assertions.length > 1 || assertions.some(({ parent }) => parent !== root)) refuse("contains several assertions");
  checkSignatures(elements, [root, ...assertions]);
  const [status, ...more] = named("StatusCode").filter(({ parent }) => parent?.parent === root);
  if (!status || more.length > 0) return refuse("has no status");
  return {
    xml,
    inResponseTo: root.attributes.get("InResponseTo"),
    destination: root.attributes.get("Destination"),
    issuer: named("Issuer")
      .find(({ parent }) => parent === root)
      ?.text.trim(),
    status: (status.attributes.get("Value") ?? "").replace(/^.*:/s, ""),
    isResponseSigned: named("Signature").some(({ parent }) => parent === root),
  };
}

function checkSignatures(elements: readonly Element[], signable: readonly Element[]): void {
  const signatures = elements.filter(({ local }) => local === "Signature");
  const parents = signatures.map(({ parent }) => parent);
  if (parents.some((parent) => !parent || !signable.includes(parent))) refuse("has a signature at a wrong place");
  if (new Set(parents).size < parents.length) refuse("has several signatures of one element");
  if (elements.some(({ local, parent }) => local === "Object" && parent?.local === "Signature"))
    refuse("has a signature that contains objects");
  const ids = elements.flatMap(({ attributes }) =>
    [...attributes].filter(([name]) => /^(?:\w+:)?id$/i.test(name)).map(([, value]) => value),
  );
  if (new Set(ids).size < ids.length) refuse("uses an ID twice");
  for (const { attributes } of elements)
    for (const [name, value] of attributes)
      if (localName(name) === "Algorithm" && !acceptedAlgorithms.has(value))
        refuse(`uses an algorithm that is not accepted: ${JSON.stringify(value.slice(0, 100))}`);
}

/** Throws unless the response says that it is for this address and from this provider, as far as it says so. */
export function checkAddressed(
  { destination, issuer }: ResponseText,
  expected: { acsUrl: string; issuer: string },
): void {
  if (destination !== undefined && destination !== expected.acsUrl) refuse("is for another site");
  if (issuer !== undefined && issuer !== expected.issuer) refuse("is another provider's");
}
