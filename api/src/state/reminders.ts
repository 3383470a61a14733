import type { z } from "zod";
import type { reminderEvents } from "../reminders.ts";
import { change, type FollowedState } from "./followed-state.ts";

type ReminderEvent = z.output<(typeof reminderEvents)[number]>;

export const applyReminderEvent = (state: FollowedState, event: ReminderEvent): FollowedState =>
  change(state, "reminders", (reminders) =>
    event.op === "add"
      ? // A new one has the highest id, so it comes after others of the same time.
        [...reminders, ...event.reminders].toSorted(
          (a, b) => a.scheduled_delivery_timestamp - b.scheduled_delivery_timestamp,
        )
      : reminders.filter(({ reminder_id }) => reminder_id !== event.reminder_id),
  );
