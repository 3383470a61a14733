/**
 * What a sync has to change: a comparison of the directory with the accounts whose people have signed in with it. Others are not
 * its business. It only reads.
 */
import type { LdapChange } from "@skein/api/identity-providers.ts";
import { sql } from "kysely";
import type { Context } from "../../../../context.ts";
import type { Realm } from "../../../../identity/account.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { isEmail } from "../../../base/email-address.ts";
import { addressChecker } from "../../../organization/realm-domains/allowed-addresses.ts";
import type { Person } from "../../identity-providers/person.ts";
import { ProviderProblem } from "../../identity-providers/provider-problem.ts";
import { groupMapOf, type ProviderRow } from "../../identity-providers/queries.ts";
import { isOfDomains, usableNames, wantedGroups } from "../../identity-providers/resolve-account.ts";
import { Directory, type DirectoryContext } from "../directory.ts";
import { issuerOf, ldapSettingsOf } from "../settings.ts";

/** An account whose person has signed in with the provider. */
interface LinkedAccount {
  id: number;
  subject: string;
  full_name: string;
  delivery_email: string;
  is_active: boolean;
  /** Deactivated by a sync, and by nobody else. */
  is_deactivated_here: boolean;
  group_ids: number[];
}

/** The changes of one account. */
export interface AccountPlan {
  id: number;
  changes: LdapChange[];
}

export interface Plan {
  /** How many people the directory has. */
  people: number;
  accounts: number;
  plans: AccountPlan[];
  deactivations: number;
  /** Why nothing may change. */
  refusal: string | undefined;
}

export type PlanContext = DirectoryContext & Pick<Context, "db">;

export interface PlanOptions {
  /** How many deactivations are allowed; otherwise the settings say. */
  maxDeactivations?: number | undefined;
  /** Called now and then; throws to stop. */
  proceed: () => Promise<void>;
}

export async function makePlan(
  ctx: PlanContext,
  realm: Realm,
  row: ProviderRow,
  { maxDeactivations, proceed }: PlanOptions,
): Promise<Plan> {
  const { sync, ...settings } = ldapSettingsOf(row);
  const accounts = await listLinked(ctx.db, row, issuerOf({ sync, ...settings }));
  return Directory.use(ctx, row, async (directory) => {
    const found = await findPeople(directory, new Set(accounts.map(({ subject }) => subject)), proceed);
    const gone = accounts.filter(({ subject, is_active }) => is_active && !found.present.has(subject));
    const leaving = sync.deactivates_missing ? gone : [];
    const active = accounts.filter(({ is_active }) => is_active).length;
    const refusal = judge(leaving.length, active, maxDeactivations, sync);
    // The list may have been incomplete: each of them is searched for.
    if (refusal === undefined) for (const account of leaving) await demandGone(directory, account, found.disabled);
    const changesOf = await comparer(ctx.db, realm, row, accounts, found.present);
    const plans = accounts.flatMap((account): AccountPlan[] => {
      const person = found.present.get(account.subject);
      const changes = person ? changesOf(account, person) : leaving.includes(account) ? [deactivation(account)] : [];
      return changes.length === 0 ? [] : [{ id: account.id, changes }];
    });
    return { people: found.people, accounts: accounts.length, plans, deactivations: leaving.length, refusal };
  });
}

async function listLinked(db: Db, row: ProviderRow, issuer: string): Promise<LinkedAccount[]> {
  const mapped = Object.values(groupMapOf(row));
  const { rows } = await sql<LinkedAccount>`
    select u.id, e.subject, u.full_name, u.delivery_email, u.is_active, e.deactivated_at is not null as is_deactivated_here,
      array(select m.group_id from user_group_members m
        where m.user_id = u.id and m.group_id = any(${mapped}::bigint[])) as group_ids
    from external_identities e join users u on u.id = e.user_id
    where e.realm_id = ${row.realm_id} and e.provider_id = ${row.id} and e.issuer = ${issuer} and not u.is_bot
    order by u.id`.execute(db);
  return rows;
}

interface FoundPeople {
  people: number;
  /** By their ids: those who have an account and are not disabled. */
  present: Map<string, Person>;
  disabled: Set<string>;
}

async function findPeople(
  directory: Directory,
  wanted: ReadonlySet<string>,
  proceed: () => Promise<void>,
): Promise<FoundPeople> {
  const found: FoundPeople = { people: 0, present: new Map(), disabled: new Set() };
  for await (const page of directory.people()) {
    await proceed();
    for (const { id, isDisabled, load } of page) {
      found.people++;
      if (!wanted.has(id)) continue;
      if (found.present.has(id) || found.disabled.has(id))
        throw new ProviderProblem("several entries have the same value in the attribute that identifies people");
      if (isDisabled) found.disabled.add(id);
      else found.present.set(id, await load());
    }
  }
  return found;
}

/** Why so many people must not be deactivated at once; undefined if they may. */
function judge(
  leaving: number,
  active: number,
  allowed: number | undefined,
  { max_deactivations, max_deactivation_percent }: { max_deactivations: number; max_deactivation_percent: number },
): string | undefined {
  const share = Math.ceil((active * max_deactivation_percent) / 100);
  const most = allowed ?? Math.min(max_deactivations, share);
  if (leaving <= most) return undefined;
  return (
    `${leaving} of ${active} people would be deactivated, and one sync may deactivate ${most}. Nothing was changed. Check ` +
    "user_base, user_filter and what bind_dn may read. If all of them have left, raise max_deactivations and " +
    `max_deactivation_percent, or run \`skein ldap sync --max-deactivations ${leaving}\`.`
  );
}

async function demandGone(
  directory: Directory,
  { subject }: LinkedAccount,
  disabled: ReadonlySet<string>,
): Promise<void> {
  if (!disabled.has(subject) && (await directory.has(subject)))
    throw new ProviderProblem(
      "the directory's list of people is incomplete: somebody who was not in it is found by their id",
    );
}

const none = { before: null, after: null, user_group_id: null };
const deactivation = ({ id }: LinkedAccount): LdapChange => ({ user_id: id, kind: "deactivate", ...none });

type Compare = (account: LinkedAccount, person: Person) => LdapChange[];

/** What differs between an account and its person, as far as it can be changed. */
async function comparer(
  db: Db,
  realm: Realm,
  row: ProviderRow,
  accounts: readonly LinkedAccount[],
  present: ReadonlyMap<string, Person>,
): Promise<Compare> {
  const isAcceptable = await addressJudge(db, realm, row, accounts, present);
  const { sync } = ldapSettingsOf(row);
  return (account, person) => {
    const { id, full_name, delivery_email } = account;
    // Whom an administrator has deactivated is left alone.
    if (!account.is_active && !(account.is_deactivated_here && sync.deactivates_missing)) return [];
    const changes: LdapChange[] = [];
    if (!account.is_active) changes.push({ user_id: id, kind: "reactivate", ...none });
    const name = nameOf(person);
    if (name !== undefined && !isCalled(realm, full_name, name))
      changes.push({ user_id: id, kind: "rename", before: full_name, after: name, user_group_id: null });
    const email = person.email?.trim().toLowerCase();
    if (email !== undefined && email !== delivery_email.toLowerCase() && isAcceptable(email))
      changes.push({ user_id: id, kind: "change_email", before: delivery_email, after: email, user_group_id: null });
    const held = new Set(account.group_ids);
    const wanted = wantedGroups(row, person) ?? held;
    for (const group of wanted.difference(held))
      changes.push({ ...none, user_id: id, kind: "join_group", user_group_id: group });
    for (const group of held.difference(wanted))
      changes.push({ ...none, user_id: id, kind: "leave_group", user_group_id: group });
    return changes;
  };
}

function nameOf(person: Person): string | undefined {
  const text = (claim: unknown): string => (typeof claim === "string" ? claim : "");
  return usableNames([text(person["name"]), `${text(person["given_name"])} ${text(person["family_name"])}`])[0];
}

/** Where names are unique, whoever came second has an addition to theirs. */
const isCalled = (realm: Realm, current: string, name: string): boolean =>
  current === name || (realm.require_unique_names && current.startsWith(`${name} (`));

/** Whether an address can be that of an account: valid, accepted, of a domain of the provider, and nobody else's. */
async function addressJudge(
  db: Db,
  realm: Realm,
  row: ProviderRow,
  accounts: readonly LinkedAccount[],
  present: ReadonlyMap<string, Person>,
): Promise<(email: string) => boolean> {
  const current = new Set(accounts.map(({ delivery_email }) => delivery_email.toLowerCase()));
  const addresses = [...present.values()].flatMap(({ email }) =>
    email === undefined ? [] : [email.trim().toLowerCase()],
  );
  const isRepeated = new Map<string, boolean>();
  for (const email of addresses) isRepeated.set(email, isRepeated.has(email));
  const fresh = addresses.filter((email) => !current.has(email));
  const objection = await addressChecker(db, realm);
  const { rows } = await sql<{ email: string }>`
    select lower(delivery_email) as email from users
    where realm_id = ${realm.id} and lower(delivery_email) = any(${fresh}::text[])`.execute(db);
  const taken = new Set([...current, ...rows.map(({ email }) => email)]);
  return (email) =>
    isEmail(email) &&
    !taken.has(email) &&
    isRepeated.get(email) === false &&
    isOfDomains(row.allowed_domains, email) &&
    objection(email) === undefined;
}
