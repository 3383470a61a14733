import type { StatePart } from "../../../events/state-part.ts";
import { listUserGroups } from "./queries.ts";

export const userGroupState: StatePart = {
  types: ["realm_user_groups"],
  sharedBy: ({ options }) => String(options.include_deactivated_groups),
  load: async (db, { user, options }) => ({
    realm_user_groups: await listUserGroups(db, user.realm, {
      includeDeactivated: options.include_deactivated_groups,
    }),
  }),
};
