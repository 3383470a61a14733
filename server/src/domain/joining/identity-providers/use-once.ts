import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

/**
 * Whether this is the first use of something that works once, on any node: an attempt to sign in, or a provider's message.
 * Of several concurrent calls, one returns true. It is remembered for so many seconds; by then it must have expired.
 */
export async function useOnce(db: Db, realmId: number, what: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into used_sign_ins (realm_id, hash, expires_at)
    values (${realmId}, ${hash("sha256", what, "buffer")}, now() + make_interval(secs => ${seconds}))
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}
