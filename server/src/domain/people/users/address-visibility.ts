import { sql } from "kysely";
import { toUser } from "../../../events/audience.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { emitDeliveryEmail } from "./addresses.ts";
import { canSeeAddress, type Addressed, type Reader } from "./email.ts";
import { usersVisibleTo } from "./guest-view.ts";

/** Notifies a user whose role has changed of the e-mail addresses they can now see or no longer see. */
export async function emitAddressVisibility(
  tx: Tx,
  before: Reader & { realm_id: number },
  after: Reader,
): Promise<void> {
  const { id, realm_id } = before;
  const { rows } = await sql<Addressed>`
    select id, delivery_email, email_address_visibility, is_bot from users
    where realm_id = ${realm_id} and id <> ${id} and not is_bot and email_address_visibility between 2 and 5
    order by id`.execute(tx);
  const changed = rows.filter((account) => canSeeAddress(before, account) !== canSeeAddress(after, account));
  if (changed.length === 0) return;
  const seen = (await usersVisibleTo(tx, realm_id, [id])).get(id);
  for (const account of changed) {
    if (seen && !seen.has(account.id)) continue;
    const address = canSeeAddress(after, account) ? account.delivery_email : null;
    emitDeliveryEmail(tx, realm_id, account.id, toUser(id), address);
  }
}
