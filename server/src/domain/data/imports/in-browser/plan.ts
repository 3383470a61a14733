/** The stored plan of an import: drafted when the file is inspected, changed by an owner, and read when it is run. */
import { importAccounts, type PlannedPerson, type RefusedChange, type updateImportPlan } from "@skein/api/imports.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { sql } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { User } from "../../../../identity/account.ts";
import { textArray } from "../../../../platform/db/binary-array.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { isEmail } from "../../../base/email-address.ts";
import { draftChannel, draftPerson, type Existing } from "../draft-plan.ts";
import { toPlan, type ChannelPlan, type PersonPlan, type Plan, type UnthreadedRule } from "../run/plan.ts";
import { toChannelName } from "../run/places.ts";
import { ArchiveRefused, type Source } from "../source.ts";
import { accessImportForUpdate, type RealmImportRow } from "./access.ts";
import { changeImport } from "./events.ts";

const maxPeople = 200_000;
const maxChannels = 50_000;
const rowsAtOnce = 500;

/** Replaces the plan by what would be done without one. */
export async function storeDraft(tx: Tx, row: RealmImportRow, source: Source, existing: Existing): Promise<void> {
  const { id: import_id, realm_id } = row;
  await tx.deleteFrom("realm_import_people").where("import_id", "=", import_id).execute();
  await tx.deleteFrom("realm_import_channels").where("import_id", "=", import_id).execute();
  const people = counted(source.people(), maxPeople, "people");
  for await (const some of inBatches(people))
    await tx
      .insertInto("realm_import_people")
      .values(
        some.map(({ number, item }) => {
          const { id, name, email = null, account } = draftPerson(item, existing);
          const { isActive: is_active, kind } = item;
          return {
            import_id,
            realm_id,
            number,
            source_id: storable(id),
            name: storable(name),
            email: email === null ? null : storable(email),
            account,
            is_bot: kind === "bot",
            is_active,
          };
        }),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const channels = counted(source.channels(), maxChannels, "channels");
  for await (const some of inBatches(channels))
    await tx
      .insertInto("realm_import_channels")
      .values(
        some.map(({ number, item }) => {
          const { id, action, into = null } = draftChannel(item, existing);
          const { name, isPrivate: is_private, isArchived: is_archived, members } = item;
          return {
            import_id,
            realm_id,
            number,
            source_id: storable(id),
            source_name: storable(name),
            name: toChannelName(storable(name)),
            action,
            merged_into: into,
            is_private,
            is_archived,
            members: members.length,
          };
        }),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** PostgreSQL stores neither NUL nor halves of characters. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "");

async function* counted<T>(
  items: AsyncIterable<T>,
  most: number,
  what: string,
): AsyncGenerator<{ number: number; item: T }> {
  let number = 0;
  for await (const item of items) {
    if (++number > most)
      throw new ArchiveRefused(
        `The export has more than ${most} ${what}. Ask the server's operator to import it with \`skein import\`.`,
      );
    yield { number, item };
  }
}

async function* inBatches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < rowsAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

type Change = ParamsOf<typeof updateImportPlan>;
type PersonChange = NonNullable<Change["people"]>[number];
type ChannelChange = NonNullable<Change["channels"]>[number];

interface Changed {
  plan_revision: number;
  refused_people: RefusedChange[];
  refused_channels: RefusedChange[];
}

/** Changes what can be changed, and says why the rest cannot. */
export async function updatePlan(tx: Tx, actor: User, change: Change): Promise<Changed> {
  const row = await accessImportForUpdate(tx, actor, change.import_id, ["ready", "failed"]);
  const { people = [], channels = [], unthreaded } = change;
  const refused_people = await updatePeople(tx, row, people);
  const refused_channels = await updateChannels(tx, row, channels);
  const refused = { refused_people, refused_channels };
  const changed = people.length + channels.length - refused_people.length - refused_channels.length;
  if (changed === 0 && unthreaded === undefined) return { plan_revision: row.plan_revision, ...refused };
  const plan_revision = row.plan_revision + 1;
  await changeImport(tx, row, [row.state], { plan_revision, ...(unthreaded === undefined ? {} : { unthreaded }) });
  return { plan_revision, ...refused };
}

async function updatePeople(tx: Tx, row: RealmImportRow, changes: readonly PersonChange[]): Promise<RefusedChange[]> {
  if (changes.length === 0) return [];
  const stored = await tx
    .selectFrom("realm_import_people")
    .select(["source_id", "name", "email", "is_active", "is_bot"])
    .where("import_id", "=", row.id)
    .where(
      "source_id",
      "in",
      changes.map(({ id }) => id),
    )
    .execute();
  const people = new Map(stored.map((person) => [person.source_id, person]));
  const planned = changes.map(({ id, account, email }) => {
    const person = people.get(id);
    if (!person) throw new ApiError(`Nobody in the export has the ID ${id}.`);
    return { id, account, name: person.name, address: email ?? person.email, isActive: person.is_active };
  });
  const known = await knownAddresses(
    tx,
    row.realm_id,
    planned.map(({ address }) => address ?? ""),
  );
  const { accepted, refused } = judge(planned, (person) => objectionToAccount(person, known));
  await sql`
    update realm_import_people p set account = change.account, email = nullif(change.email, '')
    from unnest(${textArray(accepted.map(({ id }) => id))}::text[],
      ${textArray(accepted.map(({ account }) => account))}::text[],
      ${textArray(accepted.map(({ address }) => address ?? ""))}::text[]) as change (id, account, email)
    where p.import_id = ${row.id} and p.source_id = change.id`.execute(tx);
  return refused;
}

function judge<T extends { id: string }>(
  changes: readonly T[],
  objectionTo: (change: T) => string | undefined,
): { accepted: T[]; refused: RefusedChange[] } {
  const accepted: T[] = [];
  const refused: RefusedChange[] = [];
  for (const change of changes) {
    const reason = objectionTo(change);
    if (reason === undefined) accepted.push(change);
    else refused.push({ id: change.id, reason });
  }
  return { accepted, refused };
}

interface Planned {
  name: string;
  account: PlannedPerson["account"];
  address: string | null;
  isActive: boolean;
}

function objectionToAccount(
  { name, account, address, isActive }: Planned,
  known: ReadonlySet<string>,
): string | undefined {
  const isKnown = address !== null && known.has(address.toLowerCase());
  if (account === "existing" && !isKnown)
    return address === null ? `${name} has no e-mail address.` : `Nobody here has the e-mail address ${address}.`;
  if (account !== "new") return undefined;
  if (address === null || !isEmail(address)) return `${name} needs a valid e-mail address for a new account.`;
  if (isKnown) return `Somebody here already has the e-mail address ${address}.`;
  if (!isActive) return `${name} is deactivated in the export. An administrator can reactivate them later.`;
  return undefined;
}

async function knownAddresses(db: Db, realmId: number, addresses: readonly string[]): Promise<Set<string>> {
  const lower = [...new Set(addresses.map((address) => address.toLowerCase()))];
  const { rows } = await sql<{ address: string }>`
    select lower(delivery_email) as address from users
    where realm_id = ${realmId} and lower(delivery_email) = any(${textArray(lower)}::text[])`.execute(db);
  return new Set(rows.map(({ address }) => address));
}

async function updateChannels(
  tx: Tx,
  row: RealmImportRow,
  changes: readonly ChannelChange[],
): Promise<RefusedChange[]> {
  if (changes.length === 0) return [];
  const stored = await tx
    .selectFrom("realm_import_channels")
    .select(["source_id", "source_name", "name", "is_private"])
    .where("import_id", "=", row.id)
    .where(
      "source_id",
      "in",
      changes.map(({ id }) => id),
    )
    .execute();
  const channels = new Map(stored.map((channel) => [channel.source_id, channel]));
  const targets = await findTargets(
    tx,
    row.realm_id,
    changes.flatMap(({ action, into }) => (action === "merge" ? (into ?? []) : [])),
  );
  const planned = changes.map(({ id, action, name, into = "" }) => {
    const channel = channels.get(id);
    if (!channel) throw new ApiError(`No channel of the export has the ID ${id}.`);
    const target = targets.get(into.toLowerCase());
    return { id, action, channel, name, into, target };
  });
  const { accepted, refused } = judge(planned, objectionToChannel);
  await sql`
    update realm_import_channels c set action = change.action, name = change.name, merged_into = nullif(change.target, '')
    from unnest(${textArray(accepted.map(({ id }) => id))}::text[],
      ${textArray(accepted.map(({ action }) => action))}::text[],
      ${textArray(accepted.map(({ name, channel }) => (name === undefined ? channel.name : toChannelName(name))))}::text[],
      ${textArray(accepted.map(({ action, target }) => (action === "merge" ? (target?.name ?? "") : "")))}::text[])
      as change (id, action, name, target)
    where c.import_id = ${row.id} and c.source_id = change.id`.execute(tx);
  return refused;
}

interface Target {
  name: string;
  invite_only: boolean;
  is_archived: boolean;
}

async function findTargets(db: Db, realmId: number, names: readonly string[]): Promise<Map<string, Target>> {
  const { rows } = await sql<Target>`
    select name, invite_only, is_archived from channels
    where realm_id = ${realmId}
      and lower(name) = any(${textArray(names.map((name) => name.toLowerCase()))}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.name.toLowerCase(), row]));
}

interface PlannedMerge {
  action: ChannelChange["action"];
  channel: { source_name: string; is_private: boolean };
  name: string | undefined;
  into: string;
  target: Target | undefined;
}

/** Whether the target's subscribers could read the source is decided when it is run: they may change until then. */
function objectionToChannel({ action, channel, name, into, target }: PlannedMerge): string | undefined {
  const { source_name, is_private } = channel;
  if (name?.trim() === "") return "Please enter a name.";
  if (action !== "merge") return undefined;
  if (!target) return `There is no channel ${into} to merge ${source_name} into.`;
  if (target.is_archived) return `The channel ${target.name} is archived.`;
  if (is_private && !target.invite_only) return `${source_name} is private: more people can read ${target.name}.`;
  return undefined;
}

/** What the run follows. */
export async function readPlan(db: Db, row: RealmImportRow): Promise<Plan> {
  const people = await db
    .selectFrom("realm_import_people")
    .select(["source_id", "email", "account"])
    .where("import_id", "=", row.id)
    .execute();
  const channels = await db
    .selectFrom("realm_import_channels")
    .select(["source_id", "name", "action", "merged_into"])
    .where("import_id", "=", row.id)
    .execute();
  const known = await knownAddresses(
    db,
    row.realm_id,
    people.flatMap(({ email, account }) => (account === "inactive" && email !== null ? [email] : [])),
  );
  return toPlan({
    threads: { unthreaded: row.unthreaded as UnthreadedRule }, // as it was stored
    people: people.map(({ source_id, email, account }): PersonPlan => {
      // Who shall be inactive does not become the account that has the address.
      const isTaken = account === "inactive" && email !== null && known.has(email.toLowerCase());
      const address = isTaken ? "" : email;
      return {
        id: source_id,
        ...(address === null ? {} : { email: address }),
        account: importAccounts.find((one) => one === account) ?? "new",
      };
    }),
    channels: channels.map(({ source_id, name, action, merged_into }): ChannelPlan => {
      const planned = { id: source_id, name, action: action as NonNullable<ChannelPlan["action"]> }; // as it was stored
      return merged_into === null ? planned : { ...planned, into: merged_into };
    }),
  });
}
