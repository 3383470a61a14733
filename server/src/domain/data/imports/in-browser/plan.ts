/** The stored plan of an import: drafted when the file is inspected, changed by an owner, and read when it is run. */
import { importAccounts, type PlannedPerson, type updateImportPlan } from "@skein/api/imports.ts";
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

/** Returns the new revision. */
export async function updatePlan(tx: Tx, actor: User, change: Change): Promise<number> {
  const row = await accessImportForUpdate(tx, actor, change.import_id, ["ready", "failed"]);
  if (change.people) await updatePeople(tx, row, change.people);
  if (change.channels) await updateChannels(tx, row, change.channels);
  const plan_revision = row.plan_revision + 1;
  const rule = change.unthreaded === undefined ? {} : { unthreaded: change.unthreaded };
  await changeImport(tx, row, [row.state], { plan_revision, ...rule });
  return plan_revision;
}

async function updatePeople(tx: Tx, row: RealmImportRow, changes: readonly PersonChange[]): Promise<void> {
  if (changes.length === 0) return;
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
  for (const person of planned) refuseAccount(person, known);
  await sql`
    update realm_import_people p set account = change.account, email = nullif(change.email, '')
    from unnest(${textArray(planned.map(({ id }) => id))}::text[],
      ${textArray(planned.map(({ account }) => account))}::text[],
      ${textArray(planned.map(({ address }) => address ?? ""))}::text[]) as change (id, account, email)
    where p.import_id = ${row.id} and p.source_id = change.id`.execute(tx);
}

interface Planned {
  name: string;
  account: PlannedPerson["account"];
  address: string | null;
  isActive: boolean;
}

function refuseAccount({ name, account, address, isActive }: Planned, known: ReadonlySet<string>): void {
  const isKnown = address !== null && known.has(address.toLowerCase());
  if (account === "existing" && !isKnown)
    throw new ApiError(
      address === null ? `${name} has no e-mail address.` : `Nobody here has the e-mail address ${address}.`,
    );
  if (account !== "new") return;
  if (address === null || !isEmail(address))
    throw new ApiError(`${name} needs a valid e-mail address for a new account.`);
  if (isKnown) throw new ApiError(`Somebody here already has the e-mail address ${address}.`);
  if (!isActive)
    throw new ApiError(`${name} is deactivated in the export. An administrator can reactivate them later.`);
}

async function knownAddresses(db: Db, realmId: number, addresses: readonly string[]): Promise<Set<string>> {
  const lower = [...new Set(addresses.map((address) => address.toLowerCase()))];
  const { rows } = await sql<{ address: string }>`
    select lower(delivery_email) as address from users
    where realm_id = ${realmId} and lower(delivery_email) = any(${textArray(lower)}::text[])`.execute(db);
  return new Set(rows.map(({ address }) => address));
}

async function updateChannels(tx: Tx, row: RealmImportRow, changes: readonly ChannelChange[]): Promise<void> {
  if (changes.length === 0) return;
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
  const planned = changes.map(({ id, action, name, into }) => {
    const channel = channels.get(id);
    if (!channel) throw new ApiError(`No channel of the export has the ID ${id}.`);
    if (action === "merge") refuseTarget(channel, into, targets);
    if (name?.trim() === "") throw new ApiError("Please enter a name.");
    const merged = action === "merge" ? (targets.get(into?.toLowerCase() ?? "")?.name ?? "") : "";
    return { id, action, name: name === undefined ? channel.name : toChannelName(name), into: merged };
  });
  await sql`
    update realm_import_channels c set action = change.action, name = change.name, merged_into = nullif(change.target, '')
    from unnest(${textArray(planned.map(({ id }) => id))}::text[],
      ${textArray(planned.map(({ action }) => action))}::text[],
      ${textArray(planned.map(({ name }) => name))}::text[],
      ${textArray(planned.map(({ into }) => into))}::text[]) as change (id, action, name, target)
    where c.import_id = ${row.id} and c.source_id = change.id`.execute(tx);
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

/** Whether the target's subscribers could read the source is decided when it is run: they may change until then. */
function refuseTarget(
  { source_name, is_private }: { source_name: string; is_private: boolean },
  into: string | undefined,
  targets: ReadonlyMap<string, Target>,
): void {
  const target = targets.get(into?.toLowerCase() ?? "");
  if (!target) throw new ApiError(`There is no channel ${into ?? ""} to merge ${source_name} into.`);
  if (target.is_archived) throw new ApiError(`The channel ${target.name} is archived.`);
  if (is_private && !target.invite_only)
    throw new ApiError(`${source_name} is private: more people can read ${target.name}.`);
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
