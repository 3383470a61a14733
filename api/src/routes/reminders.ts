/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../reminders.ts";
import type { Route } from "../route.ts";

export const createReminder: Route<typeof declared.createReminder> = {
  method: "POST",
  path: "/reminders",
  texts: ["note"],
};
export const deleteReminder: Route<typeof declared.deleteReminder> = {
  method: "DELETE",
  path: "/reminders/{reminder_id}",
  texts: [],
};
export const getReminders: Route<typeof declared.getReminders> = { method: "GET", path: "/reminders", texts: [] };
