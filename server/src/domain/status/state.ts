import type { StatePart } from "../../events/state-part.ts";
import { sightOf } from "../users/guest-view.ts";
import { listStatuses, toUserStatus } from "./queries.ts";

/** Of everybody the reader sees; who has set nothing is left out. */
export const userStatusState: StatePart = {
  types: ["user_status"],
  load: async (db, { user }) => {
    const sees = await sightOf(db, user);
    const shown = (await listStatuses(db, user.realm_id))
      .filter((row) => sees({ id: row.user_id, is_bot: row.is_bot }))
      .map((row) => [row.user_id, toUserStatus(row)] as const)
      .filter(([, status]) => Object.keys(status).length > 0);
    return { user_status: Object.fromEntries(shown) };
  },
};
