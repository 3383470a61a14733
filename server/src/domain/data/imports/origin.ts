/**
 * Ids of some exports are numbers that mean something only within one organization: in another one, the same numbers are
 * other people and messages. So an organization takes such exports from one organization only.
 */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { ImportRefused } from "./refused.ts";
import type { Source } from "./source.ts";

/** Remembers where the export comes from. Throws if an earlier one came from elsewhere. */
export async function demandSameOrigin(db: Db, realmId: number, { name, origin, organization }: Source): Promise<void> {
  if (origin === undefined) return;
  await sql`
    insert into import_map (realm_id, source, kind, source_id, id)
    select ${realmId}, ${name}, 'origin', ${origin}, 0
    where not exists (select from import_map where realm_id = ${realmId} and source = ${name} and kind = 'origin')
    on conflict do nothing`.execute(db);
  const { rows } = await sql`
    select from import_map
    where realm_id = ${realmId} and source = ${name} and kind = 'origin' and source_id = ${origin}`.execute(db);
  if (rows.length === 0)
    throw new ImportRefused(
      `This is an export of ${organization || "another organization"}, but exports of a different organization were ` +
        "imported before. Both number people and messages from 1, so they cannot be told apart. Import it into an " +
        "organization of its own.",
    );
}
