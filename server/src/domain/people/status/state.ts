import { roles } from "@skein/api/users.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { visibilityFor } from "../users/guest-view.ts";
import { listStatuses, toUserStatus } from "./queries.ts";

/** The statuses of the users the reader can see, without empty ones. */
export const userStatusState: StatePart = {
  types: ["user_status"],
  sharedBy: ({ user }) => (user.role === roles.guest ? undefined : ""),
  load: async (db, { user }) => {
    const sees = await visibilityFor(db, user);
    const shown = (await listStatuses(db, user.realm_id))
      .filter((row) => sees({ id: row.user_id, is_bot: row.is_bot }))
      .map((row) => [row.user_id, toUserStatus(row)] as const)
      .filter(([, status]) => Object.keys(status).length > 0);
    return { user_status: Object.fromEntries(shown) };
  },
};
