import { roles } from "@skein/api/users.ts";
import { toUser } from "../../../events/audience.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isOutOfReach } from "../../people/users/access.ts";
import { emitBot, emitChange, emitLostBot } from "../../people/bots/events.ts";
import { listBots } from "./queries.ts";

/**
 * Emits the bots that a user can see, or no longer see, after gaining or losing the administrator role, and the keys that
 * they can read, or no longer read, after gaining or losing the owner role.
 */
export async function emitBotVisibility(
  tx: Tx,
  before: { id: number; realm_id: number; role: number; is_bot: boolean },
  after: { role: number },
): Promise<void> {
  const { id, realm_id } = before;
  const [wasAdministrator, isAdministrator] = [before, after].map(({ role }) => role <= roles.administrator);
  const [wasOwner, isOwner] = [before, after].map(({ role }) => role === roles.owner);
  if (before.is_bot || (wasAdministrator === isAdministrator && wasOwner === isOwner)) return;
  for (const bot of await listBots(tx, { realmId: realm_id })) {
    if (bot.owner_id === id || wasAdministrator === isAdministrator) {
      const { user_id, role, sealed_api_key } = bot;
      if (isOutOfReach(before, role) !== isOutOfReach(after, role))
        emitChange(tx, { id: user_id, realm_id }, toUser(id), { role, sealed_api_key });
    } else if (isAdministrator) emitBot(tx, realm_id, toUser(id), bot);
    else emitLostBot(tx, realm_id, toUser(id), bot.user_id);
  }
}
