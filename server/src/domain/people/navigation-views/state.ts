import type { StatePart } from "../../../events/state-part.ts";
import { listNavigationViews } from "./queries.ts";

export const navigationViewState: StatePart = {
  types: ["navigation_views"],
  ownRows: { table: "navigation_views", owner: "user_id", none: () => ({ navigation_views: [] }) },
  load: async (db, { user }) => ({ navigation_views: await listNavigationViews(db, user) }),
};
