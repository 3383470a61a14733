/**
 * Whose account it is when an organization's identity provider names a person. The first time, a verified e-mail address
 * decides; afterwards the provider's own name of the person (issuer and subject), whatever address it reports.
 */
import { maxFullNameLength } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import type { Realm } from "../../../identity/account.ts";
import { lockKinds, lockName } from "../../../platform/db/advisory-locks.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { followProvider } from "../../administration/user-groups/members.ts";
import { lockHead, record, type AuditSource } from "../../organization/audit/record.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";
import { userDeactivated, type AuthenticatedAccount } from "../../people/auth/password-login.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import { refuseTakenName } from "../../people/users/rename.ts";
import { findVouchedAccount } from "../../people/auth/vouched-account.ts";
import { join } from "../accounts/join.ts";
import { joinWithoutInvitation, lockInvitationsTo, openInvitation } from "../accounts/open-link.ts";
import type { Person } from "./person.ts";
import { groupMapOf, type ProviderRow } from "./queries.ts";
import * as views from "./views.ts";

export interface SigningIn {
  realm: Realm;
  provider: ProviderRow;
  person: Person;
  request: { ip: string; id: string };
}

export type Resolved = { account: AuthenticatedAccount } | { refusal: PlainPage };

/** Must run inside revoke() if the provider's groups are taken over. */
export async function resolveAccount(tx: Tx, ctx: TxContext, signingIn: SigningIn): Promise<Resolved> {
  const { realm, provider, person } = signingIn;
  // Two sign-ins of one person at once must not create two accounts.
  await lockName(tx, lockKinds.externalIdentity, realm.id, `${provider.id} ${person.issuer} ${person.sub}`);
  const resolved = (await findLinked(tx, signingIn)) ?? (await linkOrCreate(tx, ctx, signingIn));
  if ("refusal" in resolved) return resolved;
  const { account } = resolved;
  await takeOverGroups(tx, signingIn, account);
  const providerSession = { provider_id: provider.id, subject: person.sub, sid: person.sid ?? null };
  return { account: { ...account, method: `${provider.kind}:${provider.key}`, providerSession } };
}

async function findLinked(tx: Tx, { realm, provider, person }: SigningIn): Promise<Resolved | undefined> {
  const { rows } = await sql<AuthenticatedAccount & { is_active: boolean }>`
    update external_identities e set last_used_at = now() from users u
    where e.realm_id = ${realm.id} and e.provider_id = ${provider.id} and e.issuer = ${person.issuer}
      and e.subject = ${person.sub} and u.id = e.user_id
    returning u.id, u.realm_id, u.delivery_email, u.is_active`.execute(tx);
  const [found] = rows;
  if (!found) return undefined;
  const { is_active, ...account } = found;
  if (!is_active) throw userDeactivated();
  return { account };
}

async function linkOrCreate(tx: Tx, ctx: TxContext, signingIn: SigningIn): Promise<Resolved> {
  const { realm, provider, person } = signingIn;
  const email = verifiedAddress(person);
  if (email === undefined) return { refusal: views.noVerifiedAddress };
  if (!isOfDomains(provider.allowed_domains, email)) return { refusal: views.otherDomain(email) };
  await lockHead(tx, realm.id);
  const existing = await findVouchedAccount(tx, realm, email);
  const account = existing ?? (await createAccount(tx, ctx, signingIn, email));
  if ("refusal" in account) return account;
  const linked = await tx
    .insertInto("external_identities")
    .values({
      realm_id: realm.id,
      provider_id: provider.id,
      issuer: person.issuer,
      subject: person.sub,
      user_id: account.id,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  // The address has changed hands at the provider: its new holder does not get the account of the old one.
  return linked ? { account } : { refusal: views.linkedToAnother(email) };
}

/**
 * The address, if the provider has verified it. `xms_edov` is how Microsoft Entra says that the domain's owner vouches for the
 * address; it has no `email_verified`.
 */
function verifiedAddress({ email, email_verified, xms_edov }: Person): string | undefined {
  const isOwned = email_verified === undefined && [true, 1, "1", "true"].some((yes) => yes === xms_edov);
  return email_verified === true || isOwned ? email?.trim().toLowerCase() : undefined;
}

/** An address with several @ is of no domain that anybody can be sure of. */
export const isOfDomains = (domains: readonly string[], email: string): boolean => {
  const [, domain, ...more] = email.split("@");
  return domains.length === 0 || (domain !== undefined && more.length === 0 && domains.includes(domain));
};

async function createAccount(
  tx: Tx,
  ctx: TxContext,
  { realm, provider, person, request }: SigningIn,
  email: string,
): Promise<AuthenticatedAccount | { refusal: PlainPage }> {
  const invitation = await findInvitation(tx, realm, email);
  if (!invitation && !provider.creates_accounts) return { refusal: views.noAccount(email) };
  const objection = (await addressChecker(tx, realm))(email);
  if (objection !== undefined) return { refusal: views.refusedAddress(email, objection) };
  const link = invitation ?? joinWithoutInvitation({ email, site_url: realmUrlWithoutRequest(ctx.config, realm) });
  const full_name = await chooseName(tx, realm, person, email);
  const user = await join(tx, ctx, realm, link, { full_name, password_hash: null });
  await record(tx, realm.id, bySystem(request), {
    action: "user.create",
    target: { kind: "user", id: user.id },
    after: { email, full_name, role: user.role, identity_provider: provider.key },
  });
  return user;
}

const bySystem = ({ ip, id }: SigningIn["request"]): AuditSource => ({
  actor: { kind: "system", id: null },
  credential: null,
  ip,
  requestId: id,
});

/** The newest invitation that still works. */
async function findInvitation(tx: Tx, realm: Realm, email: string) {
  for (const id of (await lockInvitationsTo(tx, realm, email)).toReversed()) {
    const opened = await openInvitation(tx, id);
    if (opened.state === "open") return opened;
  }
  return undefined;
}

/** The name at the provider as far as it can be a name here; otherwise one made from the address. */
async function chooseName(tx: Tx, realm: Realm, person: Person, email: string): Promise<string> {
  const [local = ""] = email.split("@");
  const text = (claim: unknown): string => (typeof claim === "string" ? claim : "");
  const parts = `${text(person["given_name"])} ${text(person["family_name"])}`;
  const [name = "New member"] = usableNames([
    text(person["name"]),
    parts,
    text(person["preferred_username"]),
    local,
    "New member",
  ]);
  if (!realm.require_unique_names) return name;
  for (const candidate of [name, `${[...name].slice(0, maxFullNameLength - 40).join("")} (${local.slice(0, 30)})`]) {
    if (await isFree(tx, realm, candidate)) return candidate;
  }
  return name; // creating the account reports it
}

/** These names as far as they can be names here. */
export const usableNames = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const plain = name.replaceAll(/[*`\\>"@|]|\p{C}/gu, " ").replaceAll(/\s+/g, " ");
    const cut = [...plain.trim()].slice(0, maxFullNameLength).join("");
    return isName(cut) ? [cut.trim()] : [];
  });

function isName(text: string): boolean {
  try {
    checkFullName(text);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}

async function isFree(tx: Tx, realm: Realm, name: string): Promise<boolean> {
  try {
    await refuseTakenName(tx, realm, name);
    return isName(name);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}

/**
 * Makes the person a member of the groups that the provider lists, and of no other mapped group. A provider that
 * does not say changes nothing: providers leave it out when there are too many groups.
 */
async function takeOverGroups(tx: Tx, signingIn: SigningIn, account: AuthenticatedAccount): Promise<void> {
  const { realm, provider, person, request } = signingIn;
  const wanted = wantedGroups(provider, person);
  const mapped = new Set(Object.values(groupMapOf(provider)));
  if (!wanted || mapped.size === 0) return;
  const { rows } = await sql<{ group_id: number }>`
    select group_id from user_group_members where user_id = ${account.id} and group_id = any(${[...mapped]}::bigint[])`.execute(
    tx,
  );
  const held = new Set(rows.map((row) => row.group_id));
  const change = { add: [...wanted.difference(held)], remove: [...held.difference(wanted)] };
  if (change.add.length + change.remove.length === 0) return;
  await changeGroups(tx, { realm, provider, source: bySystem(request) }, account, change);
}

/** The ids of the groups that the provider lists for a person; undefined if it does not say. */
export function wantedGroups(provider: ProviderRow, { groups }: Pick<Person, "groups">): Set<number> | undefined {
  if (groups === undefined || groups === null) return undefined;
  const names = new Set([groups].flat().filter((name) => typeof name === "string"));
  const map = Object.entries(groupMapOf(provider));
  return new Set(map.filter(([name]) => names.has(name)).map(([, id]) => id));
}

export async function changeGroups(
  tx: Tx,
  { realm, provider, source }: { realm: Realm; provider: ProviderRow; source: AuditSource },
  account: Pick<AuthenticatedAccount, "id" | "realm_id">,
  change: { add: number[]; remove: number[] },
): Promise<void> {
  await lockHead(tx, realm.id);
  const { added, removed } = await followProvider(tx, account, change);
  const note = (action: "user_group.add_members" | "user_group.remove_members", id: number) =>
    record(tx, realm.id, source, {
      action,
      target: { kind: "user_group", id },
      after: { user_id: account.id, identity_provider: provider.key },
    });
  for (const id of added) await note("user_group.add_members", id);
  for (const id of removed) await note("user_group.remove_members", id);
}
