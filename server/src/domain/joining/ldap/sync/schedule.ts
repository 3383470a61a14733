/** When accounts follow their directory, and how the last time ended. */
import { sql } from "kysely";
import type { Db } from "../../../../platform/db/connect.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { toTimestamp } from "../../../base/timestamp.ts";
import type { ProviderRow } from "../../identity-providers/queries.ts";
import { ldapSettingsOf, type SyncResult } from "../settings.ts";

/** After a provider was added or changed: the next sync is now, or never, and one that runs with the old settings ends. */
export async function scheduleSync(tx: Tx, row: ProviderRow): Promise<void> {
  if (row.kind !== "ldap") return;
  const isDue = row.is_enabled && ldapSettingsOf(row).sync.is_enabled;
  await setNext(tx, row, isDue);
  await sql`
    update ldap_syncs set claim = claim + 1, claimed_until = null where provider_id = ${row.id}`.execute(tx);
}

/** A sync begins soon, whatever the settings say. */
export const requestSync = (tx: Tx, row: ProviderRow): Promise<void> => setNext(tx, row, true);

async function setNext(tx: Tx, { id, realm_id }: ProviderRow, isDue: boolean): Promise<void> {
  await sql`
    insert into ldap_syncs (provider_id, realm_id, next_at) values (${id}, ${realm_id}, case when ${isDue} then now() end)
    on conflict (provider_id) do update set next_at = excluded.next_at`.execute(tx);
}

export async function listSyncResults(db: Db, rows: readonly ProviderRow[]): Promise<Map<number, SyncResult>> {
  const ids = rows.filter(({ kind }) => kind === "ldap").map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await db
    .selectFrom("ldap_syncs")
    .select(["provider_id", "finished_at", "problem", "people", "changes", "deactivations"])
    .where("provider_id", "in", ids)
    .execute();
  return new Map(
    found.flatMap(({ provider_id, finished_at, ...result }) =>
      finished_at === null ? [] : [[provider_id, { finished_at: toTimestamp(finished_at), ...result }] as const],
    ),
  );
}
