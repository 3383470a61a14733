import type { Audience } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { listExports } from "./queries.ts";

const toAdministrators: Audience = { administrators: true, exceptBots: true };

/** `site` is the organization's URL. */
export async function emitExports(tx: Tx, realmId: number, site: string): Promise<void> {
  const exports = await listExports(tx, realmId, site);
  emit(tx, realmId, toAdministrators, { type: "realm_export", exports });
}
