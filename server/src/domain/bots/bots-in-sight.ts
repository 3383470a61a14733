import { roles } from "@skein/api/users.ts";
import { toUser } from "../../events/audience.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { emitBot, emitLostBot } from "./events.ts";
import { listBots } from "./queries.ts";

/** Tells somebody who became an administrator, or no longer is one, of the bots that concern only administrators. */
export async function emitBotsInSight(
  tx: Tx,
  before: { id: number; realm_id: number; role: number; is_bot: boolean },
  after: { role: number },
): Promise<void> {
  const isAdministrator = after.role <= roles.administrator;
  if (before.is_bot || before.role <= roles.administrator === isAdministrator) return;
  const bots = await listBots(tx, { realmId: before.realm_id });
  for (const bot of bots) {
    if (bot.owner_id === before.id) continue;
    if (isAdministrator) emitBot(tx, before.realm_id, toUser(before.id), bot);
    else emitLostBot(tx, before.realm_id, toUser(before.id), bot.user_id);
  }
}
