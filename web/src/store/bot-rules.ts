/** Who may change a bot: its owner and administrators; a bot with the role of owner only owners of the organization. */
import "../text/chunks/controls.ts";
import "../text/chunks/members.ts";
import { t } from "../text/t.ts";
import type { Person } from "./people.ts";
import { isAdministrator, isGuest, isOwner, roles } from "./roles.ts";
import { ownId } from "./state.ts";

/** Why the reader cannot change it; undefined if they can. */
export function lockOfBot({ role, bot_owner_id }: Person): string | undefined {
  if (role === roles.owner && !isOwner()) return t("setting.ownersOnly");
  const isOwn = bot_owner_id === ownId.value && !isGuest();
  return isOwn || isAdministrator() ? undefined : t("bots.ownersAndAdministrators");
}
