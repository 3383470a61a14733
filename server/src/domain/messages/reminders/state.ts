import type { StatePart } from "../../../events/state-part.ts";
import { listReminders } from "./queries.ts";

export const reminderState: StatePart = {
  types: ["reminders"],
  load: async (db, { user }) => ({ reminders: await listReminders(db, user) }),
};
