/** Writes the plan of an import as it would be done without one, to be edited. */
import { sql } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { ChannelPlan, PersonPlan, PlanFile } from "./run/plan.ts";
import type { Source, SourceChannel, SourcePerson } from "./source.ts";

/** `organization`: where it would be imported; without it, nobody and no channel exists yet. */
export async function draftPlan(source: Source, organization?: { db: Db; realm: Realm }): Promise<PlanFile> {
  const existing = organization ? await listExisting(organization) : { addresses: new Set(), names: new Set() };
  const people: NonNullable<PlanFile["people"]> = [];
  for await (const person of source.people()) people.push(draftPerson(person, existing));
  const channels: NonNullable<PlanFile["channels"]> = [];
  for await (const channel of source.channels()) channels.push(draftChannel(channel, existing));
  return { source: source.name, threads: { unthreaded: "month" }, people, channels };
}

/** In lower case. */
export interface Existing {
  addresses: ReadonlySet<unknown>;
  /** Of channels that an imported channel may be merged into. */
  names: ReadonlySet<unknown>;
}

type Drafted<T, K extends keyof T> = T & { [Key in K]-?: NonNullable<T[Key]> };

export function draftPerson(
  { id, name, email, isActive }: SourcePerson,
  { addresses }: Existing,
): Drafted<PersonPlan, "name" | "account"> {
  const isKnown = email !== undefined && addresses.has(email.toLowerCase());
  const account = isKnown ? "existing" : email === undefined || !isActive ? "inactive" : "new";
  return { id, name, ...(email === undefined ? {} : { email }), account };
}

export function draftChannel(
  { id, name, isPrivate, isArchived }: SourceChannel,
  { names }: Existing,
): Drafted<ChannelPlan, "name" | "action"> {
  const isMerged = !isPrivate && !isArchived && names.has(name.toLowerCase());
  return { id, name, ...(isMerged ? { action: "merge", into: name } : { action: "new" }) };
}

export async function listExisting({ db, realm }: { db: Db; realm: Pick<Realm, "id"> }): Promise<Existing> {
  const { rows: accounts } = await sql<{ address: string }>`
    select lower(delivery_email) as address from users where realm_id = ${realm.id}`.execute(db);
  const { rows: channels } = await sql<{ name: string }>`
    select lower(name) as name from channels where realm_id = ${realm.id} and not invite_only and not is_archived`.execute(
    db,
  );
  return {
    addresses: new Set(accounts.map(({ address }) => address)),
    names: new Set(channels.map(({ name }) => name)),
  };
}
