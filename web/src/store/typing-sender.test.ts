import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replaceState } from "./state.ts";
import { TypingSender } from "./typing-sender.ts";

let sent: (string | null)[];

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  vi.stubGlobal("fetch", async (_path: string, { body }: { body: URLSearchParams }) => {
    sent.push(new URLSearchParams(body).get("op"));
    return Response.json({ result: "success", msg: "" });
  });
  replaceState({
    user_id: 5,
    user_settings: { send_stream_typing_notifications: true },
    server_typing_started_wait_period_milliseconds: 10_000,
    server_typing_stopped_wait_period_milliseconds: 5000,
  } as Parameters<typeof replaceState>[0]); // the fields in use
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const newSender = () => new TypingSender({ kind: "topic", channelId: 1, topic: "plans" });

test("text that is sent or deleted at once sends no typing notification", async () => {
  const sender = newSender();

  sender.changed("ok");
  sender.stop();
  sender.changed("o");
  sender.changed("");
  await vi.advanceTimersByTimeAsync(60_000);

  expect(sent).toEqual([]);
});

test("typing is reported when it starts, repeatedly, and when it ends", async () => {
  const sender = newSender();

  for (let letters = 1; letters <= 12; letters++) {
    sender.changed("a".repeat(letters));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(sent).toEqual(["start", "start"]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent).toEqual(["start", "start", "stop"]);
});
