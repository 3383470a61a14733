import type { StatePart } from "../../../events/state-part.ts";
import { listReminders } from "./queries.ts";

export const reminderState: StatePart = {
  types: ["reminders"],
  ownRows: { table: "reminders", owner: "user_id", none: () => ({ reminders: [] }) },
  load: async (db, { user }) => ({ reminders: await listReminders(db, user) }),
};
