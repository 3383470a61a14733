/**
 * Brings accounts in line with their directory. A worker claims a provider for a while and renews the claim as it goes on; each account
 * is changed by a transaction of its own, with its entry of the audit log, and only while the claim is the newest. So one sync runs
 * at a time, on whichever node, and if its worker dies, the next one continues with what is left.
 */
import type { LdapChange } from "@skein/api/identity-providers.ts";
import { sql } from "kysely";
import type { Context } from "../../../../context.ts";
import { ApiError } from "../../../../errors.ts";
import { revoke } from "../../../../events/revoke.ts";
import type { Realm } from "../../../../identity/account.ts";
import type { Chore } from "../../../../jobs/chore.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { deactivateUser, reactivateUser } from "../../../administration/users/activation.ts";
import { auditedFor } from "../../../organization/audit/audited.ts";
import { byProvider, lockHead } from "../../../organization/audit/record.ts";
import type { Fields } from "../../../organization/audit/subjects.ts";
import { lockAccount } from "../../../people/users/access.ts";
import { changeEmail } from "../../../people/users/addresses.ts";
import { changeFullName } from "../../../people/users/rename.ts";
import { ProviderProblem } from "../../identity-providers/provider-problem.ts";
import type { ProviderRow } from "../../identity-providers/queries.ts";
import { changeGroups } from "../../identity-providers/resolve-account.ts";
import { ldapSettingsOf } from "../settings.ts";
import { makePlan, type AccountPlan, type Plan, type PlanContext } from "./plan.ts";

/** Longer than the directory may take for one response. */
const claimSeconds = 120;
const renewMs = 20_000;
const maxListedFailures = 3;

export const syncDirectories: Chore = {
  name: "syncing with LDAP directories",
  everyMilliseconds: 10_000,
  run: syncDue,
};

/** Syncs with the directory that is due for the longest time, if there is one. */
export async function syncDue(ctx: Context): Promise<void> {
  const claim = await claimDue(ctx.db);
  if (!claim) return;
  const change: ChangeInTransaction = (name, act) => revoke(ctx, name, act);
  const { problem } = await sync(ctx, claim, { change });
  ctx.metrics.ldapSyncs.inc({ outcome: problem === undefined ? "completed" : "failed" });
  if (problem !== undefined)
    ctx.logger.warn({ realm_id: claim.realm_id, reason: problem }, "a sync with an LDAP directory failed");
}

export interface Claim {
  provider_id: number;
  realm_id: number;
  claim: number;
}

async function claimDue(db: Db): Promise<Claim | undefined> {
  const { rows } = await sql<Claim>`
    update ldap_syncs set claim = claim + 1, claimed_until = now() + make_interval(secs => ${claimSeconds})
    where provider_id = (
      select s.provider_id from ldap_syncs s
        join identity_providers p on p.id = s.provider_id join realms r on r.id = s.realm_id
      where s.next_at <= now() and p.is_enabled and not r.deactivated
        and (s.claimed_until is null or s.claimed_until < now())
      order by s.next_at limit 1 for update of s skip locked)
    returning provider_id, realm_id, claim`.execute(db);
  return rows[0];
}

/** Claims this provider, due or not; undefined if a sync is running. */
export async function claimProvider(db: Db, { id }: Pick<ProviderRow, "id">): Promise<Claim | undefined> {
  const { rows } = await sql<Claim>`
    update ldap_syncs set claim = claim + 1, claimed_until = now() + make_interval(secs => ${claimSeconds})
    where provider_id = ${id} and (claimed_until is null or claimed_until < now())
    returning provider_id, realm_id, claim`.execute(db);
  return rows[0];
}

/** Another worker has claimed the provider, or it is gone. */
class LostClaim extends Error {
  override name = "LostClaim";
}

/** Runs a transaction that may revoke access. */
export type ChangeInTransaction = <T>(name: string, act: (tx: Tx) => Promise<T>) => Promise<T>;

interface SyncOptions {
  change: ChangeInTransaction;
  maxDeactivations?: number | undefined;
}

export interface SyncOutcome {
  /** Undefined if the directory failed. */
  plan?: Plan;
  changes: number;
  deactivations: number;
  problem: string | undefined;
}

export async function sync(ctx: PlanContext, claim: Claim, options: SyncOptions): Promise<SyncOutcome> {
  const row = await ctx.db
    .selectFrom("identity_providers")
    .selectAll()
    .where("id", "=", claim.provider_id)
    .executeTakeFirst();
  if (!row) return { changes: 0, deactivations: 0, problem: undefined };
  const outcome = await attempt(ctx, row, claim, options);
  await finish(ctx.db, row, claim, outcome);
  return outcome;
}

async function attempt(
  ctx: PlanContext,
  row: ProviderRow,
  claim: Claim,
  { change, maxDeactivations }: SyncOptions,
): Promise<SyncOutcome> {
  const done = { changes: 0, deactivations: 0 };
  try {
    const realm = await ctx.db
      .selectFrom("realms")
      .selectAll()
      .where("id", "=", row.realm_id)
      .executeTakeFirstOrThrow();
    await forgetReactivated(ctx.db, row);
    const proceed = renewer(ctx.db, claim);
    const plan = await makePlan(ctx, realm, row, { maxDeactivations, proceed });
    if (plan.refusal !== undefined) return { plan, ...done, problem: plan.refusal };
    const failures: string[] = [];
    for (const account of plan.plans) {
      await proceed();
      try {
        await change("LDAP sync: update account", (tx) => apply(tx, realm, row, claim, account));
        done.changes += account.changes.length;
        done.deactivations += account.changes.filter(({ kind }) => kind === "deactivate").length;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failures.push(`account ${account.id}: ${error.message}`);
      }
    }
    return { plan, ...done, problem: describe(failures) };
  } catch (error) {
    if (error instanceof LostClaim) return { ...done, problem: "another sync has begun" };
    if (error instanceof ProviderProblem) return { ...done, problem: error.message };
    throw error;
  }
}

/** Whom somebody has reactivated since is no longer ours to reactivate. */
async function forgetReactivated(db: Db, { id, realm_id }: ProviderRow): Promise<void> {
  await sql`
    update external_identities e set deactivated_at = null from users u
    where e.realm_id = ${realm_id} and e.provider_id = ${id} and e.deactivated_at is not null
      and u.id = e.user_id and u.is_active`.execute(db);
}

const describe = (failures: readonly string[]): string | undefined =>
  failures.length === 0
    ? undefined
    : `${failures.length} accounts could not be changed: ${failures.slice(0, maxListedFailures).join("; ")}`;

/** Prolongs the claim from time to time; throws if it is no longer the newest. */
function renewer(db: Db, { provider_id, claim }: Claim): () => Promise<void> {
  let renewed = performance.now();
  return async () => {
    if (performance.now() - renewed < renewMs) return;
    renewed = performance.now();
    const { numAffectedRows } = await sql`
      update ldap_syncs set claimed_until = now() + make_interval(secs => ${claimSeconds})
      where provider_id = ${provider_id} and claim = ${claim}`.execute(db);
    if (numAffectedRows !== 1n) throw new LostClaim();
  };
}

async function finish(db: Db, row: ProviderRow, { provider_id, claim }: Claim, outcome: SyncOutcome): Promise<void> {
  const { is_enabled, interval_minutes } = ldapSettingsOf(row).sync;
  const { plan, changes, deactivations, problem } = outcome;
  await sql`
    update ldap_syncs set finished_at = now(), problem = ${problem ?? null}, people = ${plan?.people ?? 0},
      changes = ${changes}, deactivations = ${deactivations}, claimed_until = null,
      next_at = case when ${is_enabled} then now() + make_interval(mins => ${interval_minutes}) end
    where provider_id = ${provider_id} and claim = ${claim}`.execute(db);
}

async function apply(
  tx: Tx,
  realm: Realm,
  row: ProviderRow,
  claim: Claim,
  { id, changes }: AccountPlan,
): Promise<void> {
  await lockHead(tx, realm.id);
  const { rows } = await sql`
    select from ldap_syncs where provider_id = ${row.id} and claim = ${claim.claim} for share`.execute(tx);
  if (rows.length === 0) throw new LostClaim();
  const source = byProvider(row);
  const own = changes.filter(({ user_group_id }) => user_group_id === null);
  if (own.length > 0)
    await auditedFor(
      tx,
      realm.id,
      source,
      { kind: "user", id, action: actionFor, details: { identity_provider: row.key } },
      () => changeAccount(tx, realm, row, id, own),
    );
  const groups = (wanted: LdapChange["kind"]) =>
    changes.flatMap(({ kind, user_group_id }) => (kind === wanted && user_group_id !== null ? [user_group_id] : []));
  const change = { add: groups("join_group"), remove: groups("leave_group") };
  if (change.add.length + change.remove.length > 0)
    await changeGroups(tx, { realm, provider: row, source }, { id, realm_id: realm.id }, change);
}

const actionFor = (_: Fields, after: Fields) =>
  "is_active" in after ? (after["is_active"] === true ? "user.reactivate" : "user.deactivate") : "user.update";

async function changeAccount(
  tx: Tx,
  realm: Realm,
  row: ProviderRow,
  id: number,
  changes: readonly LdapChange[],
): Promise<void> {
  for (const { kind, after } of changes) {
    switch (kind) {
      case "reactivate":
        await reactivateUser(tx, realm, id);
        await noteDeactivation(tx, row, id, false);
        break;
      case "deactivate":
        await deactivateUser(tx, realm, id);
        await noteDeactivation(tx, row, id, true);
        break;
      case "rename":
        await changeFullName(tx, realm, await lockAccount(tx, realm, id), after ?? "");
        break;
      case "change_email":
        await changeEmail(tx, realm, await lockAccount(tx, realm, id), after ?? "");
        break;
      case "join_group":
      case "leave_group":
        throw new Error("groups are not part of the account");
    }
  }
}

async function noteDeactivation(tx: Tx, row: ProviderRow, userId: number, isDeactivated: boolean): Promise<void> {
  await sql`
    update external_identities set deactivated_at = case when ${isDeactivated} then now() end
    where realm_id = ${row.realm_id} and provider_id = ${row.id} and user_id = ${userId}`.execute(tx);
}
