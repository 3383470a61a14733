import type { StatePart } from "../../../events/state-part.ts";
import { listSavedSnippets } from "./queries.ts";

export const savedSnippetState: StatePart = {
  types: ["saved_snippets"],
  ownRows: { table: "saved_snippets", owner: "user_id", none: () => ({ saved_snippets: [] }) },
  load: async (db, { user }) => ({ saved_snippets: await listSavedSnippets(db, user) }),
};
