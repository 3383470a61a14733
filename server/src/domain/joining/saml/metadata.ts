/** Metadata: what an organization publishes for its SAML providers, and what they publish. */
import { Parser } from "htmlparser2";
import { ApiError } from "../../../errors.ts";
import { markup } from "../../../platform/markup.ts";
import { acsPath, entityIdOf } from "./paths.ts";

const redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
export const postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

export function organizationMetadata(siteUrl: string): string {
  const xml = markup`<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityIdOf(siteUrl)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${postBinding}" Location="${siteUrl}${acsPath}/" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
  return xml.text;
}

export interface ProviderMetadata {
  entityId: string;
  ssoUrl: string;
  certificates: string[];
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/**
 * Reads the metadata of one identity provider. An owner has pasted it: it is taken at its word, and its signature, if it has
 * one, says nothing.
 */
export function readProviderMetadata(xml: string): ProviderMetadata {
  if (/<!/.test(xml.replaceAll(/<!--.*?-->/gs, ""))) throw new ApiError("saml.metadata contains a document type.");
  const found: ProviderMetadata = { entityId: "", ssoUrl: "", certificates: [] };
  const entities: string[] = [];
  /** Names of the open elements; what keys are for. */
  const open: string[] = [];
  let use = "";
  let certificate = "";
  const isInRole = () => open.includes("IDPSSODescriptor");
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => {
        const name = localName(tag);
        open.push(name);
        if (name === "EntityDescriptor") entities.push(attributes["entityID"] ?? "");
        if (!isInRole()) return;
        if (name === "KeyDescriptor") use = attributes["use"] ?? "";
        if (name === "X509Certificate") certificate = "";
        if (name === "SingleSignOnService" && attributes["Binding"] === redirectBinding && found.ssoUrl === "")
          found.ssoUrl = attributes["Location"] ?? "";
      },
      ontext: (text) => {
        if (open.at(-1) === "X509Certificate") certificate += text;
      },
      onclosetag: () => {
        const name = open.pop();
        const isKey = name === "X509Certificate" && open.includes("KeyDescriptor") && isInRole();
        if (isKey && use !== "encryption") found.certificates.push(certificate);
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  if (entities.length !== 1) throw new ApiError("saml.metadata must describe one identity provider.");
  found.entityId = entities[0] ?? "";
  if (found.entityId === "" || found.ssoUrl === "" || found.certificates.length === 0)
    throw new ApiError("saml.metadata must name an entity ID, a sign-in URL for redirects, and a certificate.");
  return found;
}
