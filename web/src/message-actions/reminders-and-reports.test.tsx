import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/preact";
import { afterEach, expect, test, vi } from "vitest";
import type { Message } from "../store/messages.ts";
import { replaceState } from "../store/state.ts";
import { menuEntries } from "./menu-entries.ts";
import { RemindDialog } from "./remind-dialog.tsx";
import { ReportDialog } from "./report-dialog.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const message = { id: 7, sender_id: 9, flags: [], content: "<p>rosemary</p>", reactions: [] } as unknown as Message; // the fields in use

/** Answers each request, and collects what was sent. */
function answers(): { path: string; form: Record<string, string> }[] {
  const sent: { path: string; form: Record<string, string> }[] = [];
  vi.stubGlobal("fetch", async (url: string, { body }: { body?: URLSearchParams } = {}) => {
    sent.push({ path: new URL(url, "http://x").pathname, form: Object.fromEntries(body ?? []) });
    return new Response('{"result":"success","msg":"","reminder_id":1}');
  });
  return sent;
}

const labels = () =>
  menuEntries(message).flatMap((entry) => (typeof entry === "object" && "label" in entry ? entry.label : []));

test("a message can be reported only where there is a channel for reports", () => {
  replaceState({ user_id: 5, realm_moderation_request_channel_id: -1 });
  expect(labels()).toContain("Remind me…");
  expect(labels()).not.toContain("Report…");

  replaceState({ user_id: 5, realm_moderation_request_channel_id: 3 });
  expect(labels()).toContain("Report…");
});

test("a reminder has a time and a note", async () => {
  replaceState({ user_id: 5, max_reminder_note_length: 1000 });
  const sent = answers();
  const onClose = vi.fn<() => void>();
  render(<RemindDialog message={message} onClose={onClose} />);

  fireEvent.input(screen.getByLabelText(/Note/), { target: { value: " pray " } });
  fireEvent.click(screen.getByRole("button", { name: "Remind me" }));

  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(sent).toMatchObject([{ path: "/json/reminders", form: { message_id: "7", note: "pray" } }]);
  expect(Number(sent[0]?.form["scheduled_delivery_timestamp"])).toBeGreaterThan(Date.now() / 1000);
});

test("a report has a reason of the server's", async () => {
  replaceState({
    user_id: 5,
    server_report_message_types: [
      { key: "spam", name: "Spam" },
      { key: "other", name: "Other" },
    ],
  });
  const sent = answers();
  const onClose = vi.fn<() => void>();
  render(<ReportDialog message={message} onClose={onClose} />);

  fireEvent.click(screen.getByRole("button", { name: "Report" }));

  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(sent).toMatchObject([{ path: "/json/messages/7/report", form: { report_type: "spam" } }]);
});
