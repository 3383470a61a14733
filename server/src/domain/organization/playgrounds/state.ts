import type { StatePart } from "../../../events/state-part.ts";
import { listPlaygrounds } from "./queries.ts";

export const playgroundState: StatePart = {
  types: ["realm_playgrounds"],
  sharedBy: () => "",
  load: async (db, { user }) => ({ realm_playgrounds: await listPlaygrounds(db, user.realm_id) }),
};
