import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export interface NamedChannel {
  name: string;
  /** The channel of this name, case-insensitive; null if there is none. */
  channel_id: number | null;
}

/** Finds channels by name, each once and in the order of the names. The database decides which names are equal. */
export async function resolveNames(db: Db, realmId: number, names: readonly string[]): Promise<NamedChannel[]> {
  const { rows } = await sql<NamedChannel>`
    select wanted.name, c.id as channel_id
    from (
      select distinct on (lower(name)) name, position
      from unnest(${names}::text[]) with ordinality as w (name, position)
      order by lower(name), position
    ) wanted
      left join channels c on c.realm_id = ${realmId} and lower(c.name) = lower(wanted.name)
    order by wanted.position`.execute(db);
  return rows;
}
