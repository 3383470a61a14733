/** Moves what a merged account's last requests have written after the merge. */
import { sql } from "kysely";
import type { Job } from "../../../jobs/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { sweep } from "./merge.ts";
import type { Pair, Person } from "./pair.ts";
import { sweepMerged as declared, type SweepPayload } from "./sweep-name.ts";

export const sweepMerged: Job<SweepPayload> = {
  ...declared,
  run: async ({ db, logger }, { from, since }) => {
    const pair = await findPair(db, from);
    if (!pair) return;
    const found = await sweep(db, pair, since);
    if (found > 0) logger.info({ user_id: from }, `moved ${found} things that a merged account had left behind`);
  },
};

/** Undefined if the account is in use again. The other one may have been merged in turn. */
async function findPair(db: Db, fromId: number): Promise<Pair | undefined> {
  const { rows } = await sql<{ realm_id: number; from: Person; into: Person }>`
    with recursive chain (id, depth) as (
      select into_id, 1 from user_merges where from_id = ${fromId} and finished_at is not null
      union all select m.into_id, depth + 1 from chain join user_merges m on m.from_id = chain.id where depth < 100)
    select f.realm_id, json_build_object('id', f.id, 'full_name', f.full_name) as from,
      json_build_object('id', i.id, 'full_name', i.full_name) as into
    from users f, users i
    where f.id = ${fromId} and not f.is_active and i.id = (select id from chain order by depth desc limit 1)`.execute(
    db,
  );
  const [row] = rows;
  return row && { realmId: row.realm_id, from: row.from, into: row.into };
}
