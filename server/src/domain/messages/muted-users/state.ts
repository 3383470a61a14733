import type { StatePart } from "../../../events/state-part.ts";
import { listMutedUsers } from "./queries.ts";

export const mutedUserState: StatePart = {
  types: ["muted_users"],
  load: async (db, { user }) => ({ muted_users: await listMutedUsers(db, user) }),
};
