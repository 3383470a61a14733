/**
 * Sign-ins at SAML providers that are under way, in the database, so that any node can go on with them. A request begins in a
 * browser, is answered once by the provider, and is completed once. It takes two things to complete it: the cookie of the
 * browser that began, and the ticket that the browser got which brought the response. So nobody can sign in with the response
 * of another person whom they have sent to the provider with a request of their own, or sign others in as themselves.
 */
import { hash, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { markup } from "../../../platform/markup.ts";
import { pendingSeconds } from "../identity-providers/pending-sign-in.ts";
import type { Person } from "../identity-providers/person.ts";
import type { ProviderRow } from "../identity-providers/queries.ts";
import { useOnce } from "../identity-providers/use-once.ts";
import { postBinding } from "./metadata.ts";

const compress = promisify(deflateRaw);

/** Returns its ID, which XML wants to begin with a letter or underscore. */
export async function createRequest(tx: Tx, provider: ProviderRow): Promise<string> {
  const request_id = `_${randomBytes(24).toString("hex")}`;
  await tx
    .insertInto("saml_requests")
    .values({
      realm_id: provider.realm_id,
      provider_id: provider.id,
      request_id,
      expires_at: new Date(Date.now() + pendingSeconds * 1000),
    })
    .execute();
  return request_id;
}

/** The URL that the browser is sent to. */
export async function requestUrl(
  ssoUrl: string,
  given: { id: string; entityId: string; acsUrl: string; forceLogin: boolean },
): Promise<string> {
  const { id, entityId, acsUrl, forceLogin } = given;
  const xml = markup`<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${ssoUrl}" ProtocolBinding="${postBinding}" AssertionConsumerServiceURL="${acsUrl}" ForceAuthn="${String(forceLogin)}"><saml:Issuer>${entityId}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`;
  const url = new URL(ssoUrl);
  url.searchParams.set("SAMLRequest", (await compress(xml.text)).toString("base64"));
  return url.href;
}

/** The provider that has been asked, as long as a response is expected. */
export const findRequestedProvider = (db: Db, realmId: number, requestId: string): Promise<ProviderRow | undefined> =>
  db
    .selectFrom("saml_requests as r")
    .innerJoin("identity_providers as p", "p.id", "r.provider_id")
    .selectAll("p")
    .where("r.realm_id", "=", realmId)
    .where("r.request_id", "=", requestId)
    .where("r.person", "is", null)
    .where("r.expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();

/** Stores what the provider has stated; returns the ticket, or undefined if the request or the assertion was used before. */
export async function answerRequest(
  tx: Tx,
  provider: ProviderRow,
  { requestId, assertionId, person }: { requestId: string; assertionId: string; person: Person },
): Promise<string | undefined> {
  // Assertions are refused when they are older than this.
  const what = `saml assertion ${provider.id} ${provider.issuer} ${assertionId}`;
  if (!(await useOnce(tx, provider.realm_id, what, 2 * pendingSeconds))) return undefined;
  const ticket = randomBytes(32).toString("base64url");
  const { numUpdatedRows } = await tx
    .updateTable("saml_requests")
    .set({ person: JSON.stringify(person), ticket_hash: hash("sha256", ticket, "buffer") })
    .where("realm_id", "=", provider.realm_id)
    .where("provider_id", "=", provider.id)
    .where("request_id", "=", requestId)
    .where("person", "is", null)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? ticket : undefined;
}

/** What the provider has stated, for the one who has the ticket; it is forgotten then. */
export async function takeAnswer(
  tx: Tx,
  given: { realmId: number; providerId: number; requestId: string; ticket: string },
): Promise<Person | undefined> {
  const row = await tx
    .deleteFrom("saml_requests")
    .where("realm_id", "=", given.realmId)
    .where("provider_id", "=", given.providerId)
    .where("request_id", "=", given.requestId)
    .where("ticket_hash", "=", hash("sha256", given.ticket, "buffer"))
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("person")
    .executeTakeFirst();
  return row ? (row.person as Person) : undefined; // answerRequest() stores nothing else
}
