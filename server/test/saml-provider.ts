/**
 * Makes SAML responses for tests, right ones and wrong ones. It writes XML in canonical form (exclusive, without comments), so
 * that signing is hashing what is written. No parser of ours or of the library is involved.
 */
import { createHash, randomBytes, sign } from "node:crypto";
import { selfSigned, type SelfSigned } from "./self-signed.ts";

type Attributes = Record<string, string | undefined>;

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#xD;");
const escapeAttribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Declarations of namespaces first, then attributes in order. */
function element(name: string, attributes: Attributes, ...children: string[]): string {
  const isDeclaration = ([key]: [string, unknown]) => (key.startsWith("xmlns") ? 0 : 1);
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .toSorted((a, b) => isDeclaration(a) - isDeclaration(b) || (a[0] < b[0] ? -1 : 1))
    .map(([key, value]) => ` ${key}="${escapeAttribute(value ?? "")}"`);
  return `<${name}${written.join("")}>${children.join("")}</${name}>`;
}

export const samlNamespace = "urn:oasis:names:tc:SAML:2.0:assertion";
export const protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol";
const signatureNamespace = "http://www.w3.org/2000/09/xmldsig#";
const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const success = "urn:oasis:names:tc:SAML:2.0:status:Success";

const algorithms = {
  sha1: [`${signatureNamespace}rsa-sha1`, `${signatureNamespace}sha1`],
  sha256: ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmlenc#sha256"],
  sha512: ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2001/04/xmlenc#sha512"],
} as const;

export interface Stated {
  nameId: string;
  attributes?: Record<string, string | string[]>;
  entityId: string;
  acsUrl: string;
  requestId: string | undefined;
}

/** What a test changes. */
export interface Variation {
  issuer?: string;
  format?: string;
  audience?: string | null;
  recipient?: string | null;
  confirmedRequest?: string | null;
  method?: string;
  destination?: string | null;
  status?: string;
  version?: string;
  sessionIndex?: string;
  /** Seconds from now. */
  issued?: number;
  begins?: number;
  ends?: number;
  confirmationEnds?: number | null;
  conditions?: string;
  /** Replaces the text of the NameID element, as XML. */
  nameIdXml?: string;
  algorithm?: keyof typeof algorithms;
  signs?: "assertion" | "response" | "both" | "neither";
  key?: SelfSigned;
  /** Changes the assertion before it is signed. */
  assertion?: (xml: string) => string;
}

const place = "<!--signature-->";
const newId = (): string => `_${randomBytes(16).toString("hex")}`;
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const optional = (value: string | null | undefined, otherwise: string | undefined) =>
  value === undefined ? otherwise : (value ?? undefined);

export class SamlProvider {
  readonly issuer: string;
  readonly keys: SelfSigned;

  constructor(issuer = "https://idp.example.com/saml", keys = selfSigned("idp.example.com")) {
    this.issuer = issuer;
    this.keys = keys;
  }

  /** The response, as XML. */
  respond(stated: Stated, variation: Variation = {}): string {
    const { signs = "assertion" } = variation;
    const bare = (variation.assertion ?? String)(this.#assertion(stated, variation));
    const assertion = ["assertion", "both"].includes(signs) ? this.signed(bare, variation) : bare.replace(place, "");
    const response = element(
      "samlp:Response",
      {
        "xmlns:samlp": protocolNamespace,
        ID: newId(),
        Version: "2.0",
        IssueInstant: inSeconds(0),
        Destination: optional(variation.destination, stated.acsUrl),
        InResponseTo: stated.requestId,
      },
      element("saml:Issuer", { "xmlns:saml": samlNamespace }, escapeText(variation.issuer ?? this.issuer)),
      place,
      element("samlp:Status", {}, element("samlp:StatusCode", { Value: variation.status ?? success })),
      assertion,
    );
    return ["response", "both"].includes(signs) ? this.signed(response, variation) : response.replace(place, "");
  }

  #assertion(stated: Stated, variation: Variation): string {
    const { nameId, attributes = {}, entityId, acsUrl, requestId } = stated;
    const { issued = 0, begins = -5, ends = 60, confirmationEnds = ends, conditions = "" } = variation;
    const audience = optional(variation.audience, entityId);
    const named = variation.nameIdXml ?? escapeText(nameId);
    const confirmation = {
      NotOnOrAfter: confirmationEnds === null ? undefined : inSeconds(confirmationEnds),
      Recipient: optional(variation.recipient, acsUrl),
      InResponseTo: optional(variation.confirmedRequest, requestId),
    };
    return element(
      "saml:Assertion",
      {
        "xmlns:saml": samlNamespace,
        ID: newId(),
        IssueInstant: inSeconds(issued),
        Version: variation.version ?? "2.0",
      },
      element("saml:Issuer", {}, escapeText(variation.issuer ?? this.issuer)),
      place,
      element(
        "saml:Subject",
        {},
        element("saml:NameID", { Format: variation.format ?? emailFormat }, named),
        element(
          "saml:SubjectConfirmation",
          { Method: variation.method ?? "urn:oasis:names:tc:SAML:2.0:cm:bearer" },
          element("saml:SubjectConfirmationData", confirmation),
        ),
      ),
      element(
        "saml:Conditions",
        { NotBefore: inSeconds(begins), NotOnOrAfter: inSeconds(ends) },
        audience === undefined
          ? ""
          : element("saml:AudienceRestriction", {}, element("saml:Audience", {}, escapeText(audience))),
        conditions,
      ),
      element(
        "saml:AuthnStatement",
        { AuthnInstant: inSeconds(issued), SessionIndex: variation.sessionIndex },
        element(
          "saml:AuthnContext",
          {},
          element("saml:AuthnContextClassRef", {}, "urn:oasis:names:tc:SAML:2.0:ac:classes:Password"),
        ),
      ),
      element(
        "saml:AttributeStatement",
        {},
        ...Object.entries(attributes).map(([Name, values]) =>
          element(
            "saml:Attribute",
            { Name },
            ...[values].flat().map((value) => element("saml:AttributeValue", {}, escapeText(value))),
          ),
        ),
      ),
    );
  }

  /** An enveloped signature at its place. */
  signed(xml: string, { algorithm = "sha256", key = this.keys }: Variation = {}): string {
    const [signing, digesting] = algorithms[algorithm];
    const digest = createHash(algorithm).update(xml.replace(place, "")).digest("base64");
    const id = / ID="([^"]+)"/.exec(xml)?.[1] ?? "";
    const parts = [
      element("ds:CanonicalizationMethod", { Algorithm: "http://www.w3.org/2001/10/xml-exc-c14n#" }),
      element("ds:SignatureMethod", { Algorithm: signing }),
      element(
        "ds:Reference",
        { URI: `#${id}` },
        element(
          "ds:Transforms",
          {},
          element("ds:Transform", { Algorithm: `${signatureNamespace}enveloped-signature` }),
          element("ds:Transform", { Algorithm: "http://www.w3.org/2001/10/xml-exc-c14n#" }),
        ),
        element("ds:DigestMethod", { Algorithm: digesting }),
        element("ds:DigestValue", {}, digest),
      ),
    ];
    const canonical = element("ds:SignedInfo", { "xmlns:ds": signatureNamespace }, ...parts);
    const value = sign(algorithm, Buffer.from(canonical), key.privateKey).toString("base64");
    const certificate = element("ds:X509Certificate", {}, key.certificate.raw.toString("base64"));
    const signature = element(
      "ds:Signature",
      { "xmlns:ds": signatureNamespace },
      element("ds:SignedInfo", {}, ...parts),
      element("ds:SignatureValue", {}, value),
      element("ds:KeyInfo", {}, element("ds:X509Data", {}, certificate)),
    );
    return xml.replace(place, () => signature);
  }
}

export const toBase64 = (xml: string): string => Buffer.from(xml).toString("base64");

/** The parts of a response with a signed assertion, to put together again in other ways. */
export function partsOf(response: string) {
  const take = (pattern: RegExp): string => pattern.exec(response)?.[0] ?? "";
  const signed = take(/<saml:Assertion.*<\/saml:Assertion>/s);
  const signature = take(/<ds:Signature .*<\/ds:Signature>/s);
  return {
    open: take(/^<samlp:Response[^>]*>/),
    issuer: take(/<saml:Issuer xmlns.*?<\/saml:Issuer>/s),
    status: take(/<samlp:Status>.*<\/samlp:Status>/s),
    close: "</samlp:Response>",
    signed,
    signature,
    signatureOpen: take(/<ds:Signature [^>]*>/),
    signatureBody: signature.replace(/^<ds:Signature [^>]*>/, "").replace(/<\/ds:Signature>$/, ""),
    unsigned: signed.replace(signature, ""),
  };
}
