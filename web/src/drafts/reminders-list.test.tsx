import { cleanup, render, screen } from "@testing-library/preact";
import type { Reminder } from "@skein/api/reminders.ts";
import { afterEach, expect, test } from "vitest";
import { replaceState } from "../store/state.ts";
import { RemindersList } from "./reminders-list.tsx";

afterEach(cleanup);

test("reminders are listed with a link to their message", () => {
  const content =
    "You requested a reminder for the following message.\n\nAnn [said](http://x/#narrow/channel/1-a/topic/b/near/7):";
  const reminder = { reminder_id: 1, content, scheduled_delivery_timestamp: 1_900_000_000 } as Reminder; // the fields in use
  replaceState({ user_id: 5, reminders: [reminder] });

  render(<RemindersList />);

  expect(screen.getByRole("link").getAttribute("href")).toBe("#narrow/channel/1-a/topic/b/near/7");
  expect(screen.getByRole("button", { name: "Delete reminder" })).toBeTruthy();
});
