import { maxRegisteredDrafts } from "@skein/api/drafts.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { listDrafts } from "./queries.ts";

export const draftState: StatePart = {
  types: ["drafts"],
  ownRows: { table: "drafts", owner: "user_id", none: () => ({ drafts: [] }) },
  load: async (db, { user }) => ({ drafts: await listDrafts(db, user, maxRegisteredDrafts) }),
};
