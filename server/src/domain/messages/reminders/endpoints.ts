import * as api from "@skein/api/reminders.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addReminder, removeReminder } from "./actions.ts";
import { listReminders } from "./queries.ts";

export const reminderEndpoints: BoundEndpoint[] = [
  handle(api.getReminders, async ({ ctx, user }) => ({ reminders: await listReminders(ctx.db, user) })),

  handle(api.createReminder, async ({ ctx, user, params, request }) => ({
    reminder_id: await transaction(ctx.db, "create reminder", (tx) => addReminder(tx, ctx, user, params, request)),
  })),

  handle(api.deleteReminder, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "delete reminder", (tx) => removeReminder(tx, user, params.reminder_id));
    return {};
  }),
];
