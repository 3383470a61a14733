import { emit } from "../../../events/emit.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

/** Notifies administrators whether a user consents to the export of their private data. */
export function emitConsent(tx: Tx, user: { id: number; realm_id: number }, consented: boolean): void {
  const event = { type: "realm_export_consent", user_id: user.id, consented };
  emit(tx, user.realm_id, { administrators: true, exceptBots: true }, event);
}
