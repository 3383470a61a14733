import type { StatePart } from "../../../events/state-part.ts";
import { listScheduled } from "./queries.ts";

export const scheduledMessageState: StatePart = {
  types: ["scheduled_messages"],
  ownRows: { table: "scheduled_messages", owner: "sender_id", none: () => ({ scheduled_messages: [] }) },
  load: async (db, { user }) => ({ scheduled_messages: await listScheduled(db, user) }),
};
