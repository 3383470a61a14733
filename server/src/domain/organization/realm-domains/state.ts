import type { StatePart } from "../../../events/state-part.ts";
import { listDomains } from "./queries.ts";

export const realmDomainState: StatePart = {
  types: ["realm_domains"],
  sharedBy: () => "",
  load: async (db, { user }) => ({ realm_domains: await listDomains(db, user.realm_id) }),
};
