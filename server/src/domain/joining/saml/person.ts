/** Who a SAML assertion is about. */
import { identifier, readClaims, type Person } from "../identity-providers/person.ts";
import { ProviderProblem } from "../identity-providers/provider-problem.ts";
import type { ProviderRow } from "../identity-providers/queries.ts";
import { samlSettingsOf } from "./settings.ts";
import type { Statement } from "./verify.ts";

const claim = (name: string) => `http://schemas.xmlsoap.org/ws/2005/05/identity/claims/${name}`;

/** What providers call their attributes unless somebody has chosen other names. */
const usualNames = {
  email: [
    "email",
    "mail",
    "emailAddress",
    "emailaddress",
    "Email",
    claim("emailaddress"),
    "urn:oid:0.9.2342.19200300.100.1.3",
    "urn:oid:1.2.840.113549.1.9.1",
  ],
  name: [
    "displayName",
    "display_name",
    "name",
    "cn",
    "http://schemas.microsoft.com/identity/claims/displayname",
    "urn:oid:2.16.840.1.113730.3.1.241",
  ],
  given_name: ["first_name", "firstName", "givenName", "given_name", claim("givenname"), "urn:oid:2.5.4.42"],
  family_name: ["last_name", "lastName", "sn", "surname", "family_name", claim("surname"), "urn:oid:2.5.4.4"],
};

const emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const transientFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";

export function toPerson(row: ProviderRow, statement: Statement): Person {
  const { email_attribute, name_attribute, subject_attribute } = samlSettingsOf(row);
  const { nameId, nameIdFormat, sessionIndex, attributes } = statement;
  /** The only value of the first of these attributes that there is. Several values do not say which one counts. */
  const only = (names: readonly string[]): string | undefined => {
    const values = names
      .map((name) => attributes.get(name))
      .find((listed) => listed !== undefined && listed.length > 0);
    return values?.length === 1 ? values[0] : undefined;
  };
  const chosen = (name: string, usual: readonly string[]) => only(name === "" ? usual : [name]);
  if (subject_attribute === "" && nameIdFormat === transientFormat)
    throw new ProviderProblem(
      "the NameID is transient: set subject_attribute, or have the provider send another NameID",
    );
  const subject = subject_attribute === "" ? nameId : only([subject_attribute]);
  const isAddress = email_attribute === "" && nameIdFormat === emailFormat;
  const claims = {
    sub: subject,
    email: chosen(email_attribute, usualNames.email) ?? (isAddress ? nameId : undefined),
    // The organization has chosen the provider, and which domains it may vouch for.
    email_verified: true,
    name: chosen(name_attribute, usualNames.name),
    given_name: only(usualNames.given_name),
    family_name: only(usualNames.family_name),
  };
  return {
    ...readClaims(claims, "the assertion"),
    issuer: row.issuer,
    sid: identifier.safeParse(sessionIndex).data,
    groups: row.groups_claim === "" ? undefined : attributes.get(row.groups_claim),
  };
}
