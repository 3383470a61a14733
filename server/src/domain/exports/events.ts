import type { Audience } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { listExports } from "./queries.ts";

const toAdministrators: Audience = { administrators: true, exceptBots: true };

/** `site` is the organization's address. */
export async function emitExports(tx: Tx, realmId: number, site: string): Promise<void> {
  const exports = await listExports(tx, realmId, site);
  emit(tx, realmId, toAdministrators, { type: "realm_export", exports });
}

/** Somebody's consent to the export of private data changed, or came with an account. */
export function emitConsent(tx: Tx, user: { id: number; realm_id: number }, consented: boolean): void {
  const event = { type: "realm_export_consent", user_id: user.id, consented };
  emit(tx, user.realm_id, toAdministrators, event);
}
