/** Messages deleted by users or by retention are purged for good after a while. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";

const daysKept = 30;
const atOnce = 1000;

/** Returns how many messages were purged. Safe to run concurrently: rows locked by another run are skipped. */
export async function purgeDeleted({ db }: Context, realmId: number): Promise<number> {
  for (let total = 0; ;) {
    const { numAffectedRows = 0n } = await sql`
      delete from deleted_messages where id in (
        select id from deleted_messages
        where realm_id = ${realmId} and deleted_at < now() - make_interval(days => ${daysKept})
        order by deleted_at limit ${atOnce} for update skip locked)`.execute(db);
    total += Number(numAffectedRows);
    if (numAffectedRows < atOnce) return total;
  }
}
