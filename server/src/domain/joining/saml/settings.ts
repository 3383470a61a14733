/** The settings of a SAML provider: as owners give them, as they are stored, and as they are returned. */
import { X509Certificate } from "node:crypto";
import type { IdentityProvider, updateIdentityProvider } from "@skein/api/identity-providers.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { z } from "zod";
import { ApiError } from "../../../errors.ts";
import type { ProviderRow } from "../identity-providers/queries.ts";
import { readProviderMetadata } from "./metadata.ts";
import { acsPath, entityIdOf, metadataPath } from "./paths.ts";

const storedSettings = z.object({
  sso_url: z.string(),
  /** DER, in base64. */
  certificates: z.array(z.string()),
  requires_signed_response: z.boolean(),
  email_attribute: z.string(),
  name_attribute: z.string(),
  subject_attribute: z.string(),
});
export type SamlSettings = z.output<typeof storedSettings>;

type Given = NonNullable<ParamsOf<typeof updateIdentityProvider>["saml"]>;

const minKeyBits = 2048;

export const samlSettingsOf = (row: Pick<ProviderRow, "settings">): SamlSettings => storedSettings.parse(row.settings);

const unset: SamlSettings = {
  sso_url: "",
  certificates: [],
  requires_signed_response: false,
  email_attribute: "",
  name_attribute: "",
  subject_attribute: "",
};

/** The new issuer and settings. Throws unless they are complete. */
export function readSamlSettings(
  given: Given = {},
  { issuer, old }: { issuer: string | undefined; old: ProviderRow | undefined },
): { issuer: string; settings: SamlSettings } {
  const { metadata, certificates, ...rest } = given;
  const stated = metadata === undefined ? undefined : readProviderMetadata(metadata);
  const before = old ? samlSettingsOf(old) : unset;
  const settings: SamlSettings = {
    ...before,
    ...(stated && { sso_url: stated.ssoUrl, certificates: readCertificates(stated.certificates) }),
    ...defined(rest),
    ...(certificates && { certificates: readCertificates(certificates) }),
  };
  const entityId = (issuer ?? "") || stated?.entityId || old?.issuer || "";
  if (entityId === "") throw new ApiError("issuer must not be empty.");
  checkSsoUrl(settings.sso_url);
  if (settings.certificates.length === 0) throw new ApiError("saml.certificates must not be empty.");
  return { issuer: entityId, settings };
}

const defined = (given: Partial<SamlSettings> | Record<string, unknown>): Partial<SamlSettings> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

function checkSsoUrl(text: string): void {
  const url = URL.parse(text);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url?.hostname ?? "");
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isHere))
    throw new ApiError("saml.sso_url must begin with https://");
  if (url.username !== "" || url.password !== "") throw new ApiError("saml.sso_url must contain no user name.");
}

/** Only keys that are as strong as the algorithms. */
function readCertificates(given: readonly string[]): string[] {
  return [...new Set(given.map(readCertificate))];
}

function readCertificate(given: string): string {
  const body = given.replaceAll(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, "");
  const certificate = parseCertificate(body);
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== "rsa" || (asymmetricKeyDetails?.modulusLength ?? 0) < minKeyBits)
    throw new ApiError(`saml.certificates must have RSA keys of at least ${minKeyBits} bits.`);
  return certificate.raw.toString("base64");
}

function parseCertificate(base64: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    throw new ApiError("saml.certificates contains something that is no certificate.");
  }
}

const expiryOf = (certificate: X509Certificate): number => Math.floor(certificate.validToDate.getTime() / 1000);

export function toSamlObject(row: ProviderRow, siteUrl: string): NonNullable<IdentityProvider["saml"]> {
  const { certificates, ...settings } = samlSettingsOf(row);
  return {
    ...settings,
    certificates: certificates.map(parseCertificate).map((certificate) => ({
      certificate: certificate.toString(),
      fingerprint: certificate.fingerprint256,
      expires_at: expiryOf(certificate),
    })),
    entity_id: entityIdOf(siteUrl),
    metadata_url: `${siteUrl}${metadataPath}`,
  };
}

/** What is wrong with the settings; undefined if nothing is. */
export function findSamlProblem(row: ProviderRow): string | undefined {
  const ends = samlSettingsOf(row).certificates.map((certificate) => parseCertificate(certificate).validToDate);
  const newest = ends.reduce((one, other) => (one > other ? one : other));
  return newest < new Date() ? `its newest certificate expired on ${newest.toISOString().slice(0, 10)}` : undefined;
}

export const samlAlgorithms = ["RSA-SHA256", "RSA-SHA512"];
export const redirectUriOf = (siteUrl: string): string => `${siteUrl}${acsPath}/`;
