import type { StatePart } from "../../../events/state-part.ts";
import { listAlertWords } from "./queries.ts";

export const alertWordState: StatePart = {
  types: ["alert_words"],
  ownRows: { table: "alert_words", owner: "user_id", none: () => ({ alert_words: [] }) },
  load: async (db, { user }) => ({ alert_words: await listAlertWords(db, user) }),
};
