import { roles } from "@skein/api/users.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { listBots } from "./queries.ts";
import { openBot } from "../../people/bots/sealed-bot.ts";

export const botState: StatePart = {
  types: ["realm_bot"],
  load: async (db, { ctx, user }) => {
    if (user.is_bot) return { realm_bots: [] };
    const isAdministrator = user.role <= roles.administrator;
    const which = { realmId: user.realm_id, ...(isAdministrator ? {} : { ownerId: user.id }) };
    const bots = await listBots(db, which, user);
    return { realm_bots: bots.map((bot) => openBot(ctx.secretBox, user, bot)) };
  },
};

/** This server has none. */
export const embeddedBotState: StatePart = {
  types: ["realm_embedded_bots"],
  load: async () => ({ realm_embedded_bots: [] }),
};
