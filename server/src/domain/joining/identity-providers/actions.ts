/** Adding, changing and removing identity providers. */
import {
  maxProviders,
  type createIdentityProvider,
  type updateIdentityProvider,
} from "@skein/api/identity-providers.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { Updateable } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { IdentityProvidersTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { readIssuer } from "../../../platform/issuer.ts";
import { checkDomain } from "../../organization/realm-domains/domain-name.ts";
import { issuerOf, readLdapSettings } from "../ldap/settings.ts";
import { scheduleSync } from "../ldap/sync/schedule.ts";
import { readSamlSettings } from "../saml/settings.ts";
import { accessProvider, accessProvidersForUpdate } from "./access.ts";
import { sealClientSecret } from "./client-secret.ts";
import { isProviderKey, kindOf, type ProviderKind, type ProviderRow } from "./queries.ts";

type NewProvider = ParamsOf<typeof createIdentityProvider>;
type Change = Omit<ParamsOf<typeof updateIdentityProvider>, "provider_id">;
type Columns = Omit<Updateable<IdentityProvidersTable>, "id" | "realm_id" | "key" | "kind" | "created_at">;
type SealContext = Pick<TxContext, "secretBox">;

export async function createProvider(tx: Tx, ctx: SealContext, actor: User, given: NewProvider): Promise<ProviderRow> {
  await accessProvidersForUpdate(tx, actor);
  const { realm_id } = actor;
  if (!isProviderKey(given.key)) throw new ApiError("key must consist of lowercase letters, digits and hyphens.");
  const { kind, key } = given;
  const columns = await readColumns(tx, ctx, actor, given, { kind });
  const { count } = await tx
    .selectFrom("identity_providers")
    .select(tx.fn.countAll<number>().as("count"))
    .where("realm_id", "=", realm_id)
    .executeTakeFirstOrThrow();
  if (count >= maxProviders) throw new ApiError(`An organization can have ${maxProviders} identity providers.`);
  const row = await tx
    .insertInto("identity_providers")
    .values({ ...columns, realm_id, kind, key, ...required(given, columns) })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw new ApiError(`There is already an identity provider with the key ${key}.`);
  await scheduleSync(tx, row);
  return row;
}

/** What a new row cannot do without. */
const required = (given: NewProvider, { name, issuer, client_id }: Columns) => ({
  name: name ?? given.name,
  issuer: issuer ?? given.issuer,
  client_id: client_id ?? given.client_id,
});

export async function updateProvider(
  tx: Tx,
  ctx: SealContext,
  actor: User,
  id: number,
  change: Change,
): Promise<{ row: ProviderRow; realm: Realm }> {
  const realm = await accessProvidersForUpdate(tx, actor);
  const old = await accessProvider(tx, actor, id);
  const columns = await readColumns(tx, ctx, actor, change, { kind: kindOf(old), old });
  const row =
    Object.keys(columns).length === 0
      ? old
      : await tx
          .updateTable("identity_providers")
          .set(columns)
          .where("realm_id", "=", actor.realm_id)
          .where("id", "=", id)
          .returningAll()
          .executeTakeFirstOrThrow();
  if (change.ldap || change.is_enabled !== undefined) await scheduleSync(tx, row);
  const only = await updateOnly(tx, actor, realm, row, change.is_only);
  if (only === row.id && !row.is_enabled)
    throw new ApiError("The only identity provider that the organization accepts cannot be disabled.");
  return { row, realm: { ...realm, only_identity_provider_id: only } };
}

/** Returns the only provider afterwards. */
async function updateOnly(
  tx: Tx,
  actor: User,
  realm: Realm,
  row: ProviderRow,
  isOnly: boolean | undefined,
): Promise<number | null> {
  const before = realm.only_identity_provider_id;
  if (isOnly === undefined || isOnly === (before === row.id)) return before;
  if (isOnly) await demandOwnIdentity(tx, actor, row);
  const only_identity_provider_id = isOnly ? row.id : null;
  await tx.updateTable("realms").set({ only_identity_provider_id }).where("id", "=", realm.id).execute();
  return only_identity_provider_id;
}

/** Somebody must be able to sign in afterwards. */
async function demandOwnIdentity(tx: Tx, actor: User, row: ProviderRow): Promise<void> {
  const own = await tx
    .selectFrom("external_identities")
    .select("id")
    .where("provider_id", "=", row.id)
    .where("issuer", "=", row.issuer)
    .where("user_id", "=", actor.id)
    .executeTakeFirst();
  if (!own) throw new ApiError("Sign in with this identity provider yourself before you make it the only one.");
}

export async function deleteProvider(tx: Tx, actor: User, id: number): Promise<void> {
  const realm = await accessProvidersForUpdate(tx, actor);
  const row = await accessProvider(tx, actor, id);
  if (realm.only_identity_provider_id === row.id)
    throw new ApiError("The only identity provider that the organization accepts cannot be removed.");
  await tx.deleteFrom("identity_providers").where("realm_id", "=", realm.id).where("id", "=", row.id).execute();
}

/** Accepts every way to sign in again. Returns whether anything has changed. */
export async function acceptAllSignIns(tx: Tx, realm: Pick<Realm, "id">): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("realms")
    .set({ only_identity_provider_id: null })
    .where("id", "=", realm.id)
    .where("only_identity_provider_id", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface Provider {
  kind: ProviderKind;
  /** Before the change. */
  old?: ProviderRow;
}

/** The columns to write, checked. */
async function readColumns(tx: Tx, ctx: SealContext, actor: User, given: Change, provider: Provider): Promise<Columns> {
  const { name, allowed_domains, group_map } = given;
  refuseNulls(given);
  if (group_map) await demandGroups(tx, actor, Object.values(group_map));
  const columns = {
    name: name === undefined ? undefined : demandText("name", name),
    allowed_domains: allowed_domains && [...new Set(allowed_domains.map(checkDomain))],
    creates_accounts: given.creates_accounts,
    groups_claim: given.groups_claim,
    group_map: group_map && JSON.stringify(group_map),
    is_enabled: given.is_enabled,
    ...columnsOfKind(ctx, actor, given, provider),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function columnsOfKind(ctx: SealContext, actor: User, given: Change, provider: Provider): Columns {
  const { kind } = provider;
  if (given.saml && kind !== "saml") throw new ApiError("saml is for SAML providers only.");
  if (given.ldap && kind !== "ldap") throw new ApiError("ldap is for LDAP providers only.");
  switch (kind) {
    case "oidc":
      return openIdColumns(ctx, actor, given);
    case "saml":
      return samlColumns(given, provider);
    case "ldap":
      return ldapColumns(ctx, actor, given, provider);
  }
}

function openIdColumns({ secretBox }: SealContext, actor: User, given: Change): Columns {
  const { issuer, client_id, client_secret, scopes } = given;
  return {
    ...(issuer === undefined ? {} : { issuer: readIssuerUrl(issuer) }),
    ...(client_id === undefined ? {} : { client_id: demandText("client_id", client_id) }),
    ...(client_secret === undefined
      ? {}
      : { sealed_client_secret: sealClientSecret(secretBox, actor.realm_id, client_secret) }),
    ...(scopes === undefined ? {} : { scopes: scopes.map(demandScope) }),
  };
}

function samlColumns(given: Change, { old }: Provider): Columns {
  const { saml, issuer } = given;
  refuseOpenIdSettings(given);
  if (old && saml === undefined && issuer === undefined) return {};
  const read = readSamlSettings(saml, { issuer: issuer?.trim(), old });
  return { issuer: read.issuer, settings: JSON.stringify(read.settings) };
}

function refuseOpenIdSettings({ client_id = "", client_secret = "", scopes = [] }: Change): void {
  if (client_id !== "" || client_secret !== "" || scopes.length > 0)
    throw new ApiError("client_id, client_secret and scopes are for OpenID Connect providers only.");
}

/** The password of the account that searches is stored where others have their client secret. */
function ldapColumns({ secretBox }: SealContext, actor: User, given: Change, { old }: Provider): Columns {
  refuseOpenIdSettings(given);
  if ((given.issuer ?? "") !== "") throw new ApiError("issuer is not for LDAP providers.");
  if (old && given.ldap === undefined) return {};
  const { settings, bindPassword } = readLdapSettings(given.ldap, old);
  return {
    issuer: issuerOf(settings),
    settings: JSON.stringify(settings),
    ...(bindPassword === undefined
      ? {}
      : { sealed_client_secret: sealClientSecret(secretBox, actor.realm_id, bindPassword) }),
  };
}

/** PostgreSQL stores no text with U+0000. */
function refuseNulls(given: Change): void {
  if (JSON.stringify(given).includes(String.raw`\u0000`)) throw new ApiError("The settings contain a NULL character.");
}

function demandText(field: string, given: string): string {
  const text = given.trim();
  if (text === "") throw new ApiError(`${field} must not be empty.`);
  return text;
}

function demandScope(scope: string): string {
  // As RFC 6749 has it.
  if (!/^[!#-[\]-~]+$/.test(scope)) throw new ApiError(`Invalid scope: ${scope}`);
  return scope;
}

function readIssuerUrl(given: string): string {
  const text = demandText("issuer", given);
  const url = URL.parse(text);
  if (url && (url.username !== "" || url.password !== "")) throw new ApiError("issuer must contain no user name.");
  try {
    return readIssuer(text);
  } catch (error) {
    throw new ApiError(`issuer ${error instanceof Error ? error.message : "is invalid"}.`);
  }
}

/** Throws unless these are groups of the organization whose members can be changed. */
async function demandGroups(tx: Tx, actor: User, ids: readonly number[]): Promise<void> {
  const found = await tx
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", actor.realm_id)
    .where("id", "in", ids.length > 0 ? ids : [0])
    .where("name", "is not", null)
    .where("is_system", "=", false)
    .where("deactivated", "=", false)
    .execute();
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) throw new ApiError(`Invalid user group ID: ${unknown}`);
}
