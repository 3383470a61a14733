/**
 * Administrators change things while processes are killed, and keep a ledger of what they were told. Afterwards rows, audit log
 * and ledger must agree: a change and its entry exist together or not at all, what was acknowledged exists, and the chain of
 * entries is whole.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { AuditEntry } from "../api/src/audit-log.ts";
import type { Client } from "../api/src/client.ts";
import { addRealmDomain } from "../api/src/realm-domains.ts";
import { updateRealm } from "../api/src/realm-settings.ts";
import { createUserGroup } from "../api/src/user-groups.ts";
import { updateUser } from "../api/src/users.ts";
import { entriesAfter, verifyLog } from "../server/src/domain/organization/audit/queries.ts";
import type { Db } from "../server/src/platform/db/connect.ts";
import type { Problem } from "./conclude.ts";
import { Killer, targetsOf } from "./killer.ts";
import { makeOrganization } from "./organization.ts";
import { Random } from "./random.ts";
import type { Say } from "./report.ts";
import type { World } from "./world.ts";

const patienceMilliseconds = 20_000;
const afterFailureMilliseconds = 50;

/** Kinds of changes, by the action of their entry. */
type Kind = "user_group.create" | "realm_domain.create" | "realm.update" | "user.update_role";

export interface AcknowledgedChange {
  kind: Kind;
  /** The name of what was created, or the new value. */
  value: string;
}

interface Administered {
  /** Of an owner, one for each node. */
  clients: readonly Client[];
  /** People whose roles change. */
  people: readonly number[];
}

export class Administrators {
  readonly #of: Administered;
  readonly #random: Random;
  readonly #atOnce: number;
  readonly #prefix: string;
  #isStopped = false;
  #number = 0;
  #running: Promise<unknown> = Promise.resolve();
  readonly acknowledged: AcknowledgedChange[] = [];
  refused = 0;
  /** Got no response. */
  unknown = 0;

  /** All names and texts begin with the prefix: those of two must not be the same. */
  constructor(of: Administered, random: Random, { atOnce, prefix = "n" }: { atOnce: number; prefix?: string }) {
    this.#of = of;
    this.#random = random;
    this.#atOnce = atOnce;
    this.#prefix = prefix;
  }

  start(): void {
    this.#isStopped = false;
    this.#running = Promise.all(Array.from({ length: this.#atOnce }, () => this.#changeOnAndOn()));
  }

  /** Returns after the last response. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #changeOnAndOn(): Promise<void> {
    while (!this.#isStopped) if (!(await this.#changeOne())) await delay(afterFailureMilliseconds);
  }

  async #changeOne(): Promise<boolean> {
    const client = this.#random.pick(this.#of.clients);
    const options = { signal: AbortSignal.timeout(patienceMilliseconds) };
    const value = `${this.#prefix}${++this.#number}`;
    const calls: Record<Kind, () => Promise<{ result: string }>> = {
      "user_group.create": () => client.call(createUserGroup, { name: value, description: "", members: [] }, options),
      "realm_domain.create": () =>
        client.call(addRealmDomain, { domain: `${value}.example.com`, allow_subdomains: false }, options),
      "realm.update": () => client.call(updateRealm, { description: value }, options),
      "user.update_role": () =>
        client.call(
          updateUser,
          { user_id: this.#random.pick(this.#of.people), role: this.#random.pick([300, 400, 600] as const) },
          options,
        ),
    };
    const kind = this.#random.pick(Object.keys(calls) as Kind[]); // the keys above
    try {
      const { result } = await calls[kind]();
      if (result === "success") {
        this.acknowledged.push({ kind, value: kind === "realm_domain.create" ? `${value}.example.com` : value });
        return true;
      }
      this.refused++;
    } catch {
      this.unknown++;
    }
    return false;
  }
}

/** What does not fit together. */
export async function judgeLedger(db: Db, realmId: number, acknowledged: readonly AcknowledgedChange[]) {
  const problems: Problem[] = [];
  const find = (rule: string, about: string, text: string) => problems.push({ rule, about, text });
  const entries: AuditEntry[] = [];
  for (let after = 0; ;) {
    const page = await entriesAfter(db, realmId, after, 1000);
    entries.push(...page);
    after = page.at(-1)?.id ?? after;
    if (page.length < 1000) break;
  }
  const { broken } = await verifyLog(db, realmId);
  if (broken) find("the chain of entries is whole", `entry ${broken.id}`, broken.reason);

  const created = { "user_group.create": "name", "realm_domain.create": "domain" } as const;
  const rows = {
    "user_group.create": (
      await db
        .selectFrom("user_groups")
        .select("name")
        .where("realm_id", "=", realmId)
        .where("is_system", "=", false)
        .where("name", "is not", null)
        .execute()
    ).map(({ name }) => name ?? ""),
    "realm_domain.create": (
      await db.selectFrom("realm_domains").select("domain").where("realm_id", "=", realmId).execute()
    ).map(({ domain }) => domain),
  };
  for (const kind of ["user_group.create", "realm_domain.create"] as const) {
    const recorded = entries.filter(({ action }) => action === kind).map(({ after }) => String(after?.[created[kind]]));
    const [inLog, inTable] = [new Set(recorded), new Set(rows[kind])];
    if (inLog.size < recorded.length) find("one change leaves one entry", kind, "an entry is there twice");
    for (const value of inLog.difference(inTable)) find("no entry without its change", kind, value);
    for (const value of inTable.difference(inLog)) find("no change without its entry", kind, value);
    for (const change of acknowledged)
      if (change.kind === kind && !inLog.has(change.value)) find("what was acknowledged exists", kind, change.value);
  }

  const realm = await db.selectFrom("realms").select("description").where("id", "=", realmId).executeTakeFirstOrThrow();
  const described = entries.filter(({ action }) => action === "realm.update");
  followChain("realm.update", described, "description", realm.description, find);
  const texts = new Set(described.map(({ after }) => after?.["description"]));
  for (const { kind, value } of acknowledged)
    if (kind === "realm.update" && !texts.has(value)) find("what was acknowledged exists", kind, value);

  const people = await db.selectFrom("users").select(["id", "role"]).where("realm_id", "=", realmId).execute();
  for (const { id, role } of people) {
    const changed = entries.filter(({ action, target }) => action === "user.update_role" && target.id === id);
    if (changed.length > 0) followChain(`role of user ${id}`, changed, "role", role, find);
  }
  return { problems, entries: entries.length };
}

/** Each entry begins with what the one before it ended with, and the last one ends with what is stored. */
function followChain(
  about: string,
  entries: readonly AuditEntry[],
  field: string,
  stored: unknown,
  find: (rule: string, about: string, text: string) => void,
): void {
  for (const [index, { id, before }] of entries.entries()) {
    const last = entries[index - 1]?.after?.[field];
    if (index > 0 && before?.[field] !== last)
      find(
        "no change without its entry",
        about,
        `entry ${id} begins with ${String(before?.[field])}, not ${String(last)}`,
      );
  }
  const last = entries.at(-1);
  if (last && last.after?.[field] !== stored)
    find(
      "no entry without its change",
      about,
      `${String(stored)} is stored, entry ${last.id} has ${String(last.after?.[field])}`,
    );
}

/** The scenario: all processes and engines are killed one after another while administrators change things. */
export async function runAuditLedger(
  world: World,
  { seed, seconds, killEverySeconds }: { seed: number; seconds: number; killEverySeconds: number },
  say: Say,
) {
  const random = new Random(seed);
  const { owner, members } = await makeOrganization(world, random, { members: 10, channels: 1 });
  const { id: realmId } = await world.db.selectFrom("realms").select("id").executeTakeFirstOrThrow();
  const of = { clients: owner.clients, people: members.map(({ id }) => id) };
  const administrators = new Administrators(of, random.fork(), { atOnce: 6 });
  const killer = new Killer(targetsOf(world), random.fork(), killEverySeconds * 1000);
  administrators.start();
  killer.start();
  for (let left = seconds; left > 0; left -= 5) {
    await delay(Math.min(5, left) * 1000);
    say(`${administrators.acknowledged.length} changes acknowledged, ${killer.kills.length} kills`);
  }
  await administrators.stop();
  await killer.stop();
  await world.ready();
  const { problems, entries } = await judgeLedger(world.db, realmId, administrators.acknowledged);
  const { acknowledged, refused, unknown } = administrators;
  return {
    seed,
    seconds,
    acknowledged: acknowledged.length,
    refused,
    unknown,
    entries,
    kills: killer.kills.length,
    findings: problems,
  };
}
