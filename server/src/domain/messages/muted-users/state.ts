import type { StatePart } from "../../../events/state-part.ts";
import { listMutedUsers } from "./queries.ts";

export const mutedUserState: StatePart = {
  types: ["muted_users"],
  ownRows: { table: "muted_users", owner: "user_id", none: () => ({ muted_users: [] }) },
  load: async (db, { user }) => ({ muted_users: await listMutedUsers(db, user) }),
};
