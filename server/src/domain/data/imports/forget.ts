/** What imports remember of a person, and have read of them, is part of what is erased. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { endImport } from "./in-browser/actions.ts";
import type { RealmImportRow } from "./in-browser/access.ts";
import { abandonImport, findUnfinished } from "./run/abandon.ts";
import { erasedKey } from "./run/erased.ts";

interface Account {
  id: number;
  realm_id: number;
  /** As it was before. */
  delivery_email: string;
}

/** Throws if an import is running, which would store what it has read of them. */
export async function forgetImported(tx: Tx, account: Account): Promise<void> {
  const { id, realm_id } = account;
  const known = await listSourceIds(tx, account);
  await abandonImport(tx, realm_id);
  await endUploaded(tx, account, known);
  for (const { source, source_id } of known) await forgetPerson(tx, account, source, source_id);
  await sql`
    delete from import_map k using messages m
    where k.realm_id = ${realm_id} and k.kind = 'message' and m.id = k.id and m.realm_id = ${realm_id} and m.sender_id = ${id}`.execute(
    tx,
  );
  await sql`
    delete from import_map k using attachments a
    where k.realm_id = ${realm_id} and k.kind = 'file' and a.id = k.id and a.owner_id = ${id}`.execute(tx);
}

interface SourcePersonId {
  source: string;
  source_id: string;
}

/** Of those who became the account, and of those who would have: the import had not come that far. */
async function listSourceIds(tx: Tx, { id, realm_id, delivery_email }: Account): Promise<SourcePersonId[]> {
  const email = delivery_email.toLowerCase();
  const unfinished = await findUnfinished(tx, realm_id);
  const { rows } = await sql<SourcePersonId>`
    select source, source_id from import_map where realm_id = ${realm_id} and kind = 'person' and id = ${id}
    union
    select ${unfinished?.source ?? ""}, source_id from import_people
    where realm_id = ${realm_id} and lower(data->>'email') = ${email} and ${unfinished !== undefined}
    union
    select i.inspection->>'source', p.source_id from realm_import_people p join realm_imports i on i.id = p.import_id
    where p.realm_id = ${realm_id} and lower(p.email) = ${email} and i.inspection->>'source' is not null`.execute(tx);
  return rows;
}

/** Uploaded exports that contain the person are removed. */
async function endUploaded(tx: Tx, { realm_id, delivery_email }: Account, known: readonly SourcePersonId[]) {
  const { rows } = await sql<RealmImportRow>`
    select i.* from realm_imports i
    where i.realm_id = ${realm_id} and i.state in ('ready', 'failed', 'running') and exists (
      select from realm_import_people p
      where p.import_id = i.id and (lower(p.email) = ${delivery_email.toLowerCase()}
        or (i.inspection->>'source', p.source_id) in (
          select source, source_id from unnest(${known.map(({ source }) => source)}::text[],
            ${known.map(({ source_id }) => source_id)}::text[]) as known (source, source_id))))
    for update`.execute(tx);
  for (const row of rows) await endImport(tx, row, { state: "canceled" });
}

async function forgetPerson(tx: Tx, { id, realm_id }: Account, source: string, sourceId: string): Promise<void> {
  const muted = `/muted/${sourceId}`;
  await sql`
    delete from import_map where realm_id = ${realm_id} and source = ${source} and (
      kind in ('person', 'avatar') and source_id = ${sourceId}
      or kind in ('personal', 'visibility') and starts_with(source_id, ${`${sourceId}/`})
      or kind = 'personal' and right(source_id, length(${muted}::text)) = ${muted})`.execute(tx);
  await sql`
    insert into import_map (realm_id, source, kind, source_id, id)
    values (${realm_id}, ${source}, 'erased', ${erasedKey(realm_id, source, sourceId)}, ${id})
    on conflict do nothing`.execute(tx);
}
