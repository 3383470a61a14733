import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replaceState } from "./state.ts";
import { TypingSender } from "./typing-sender.ts";

let told: (string | null)[];

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  vi.stubGlobal("fetch", async (_path: string, { body }: { body: URLSearchParams }) => {
    told.push(new URLSearchParams(body).get("op"));
    return Response.json({ result: "success", msg: "" });
  });
  replaceState({
    user_id: 5,
    user_settings: { send_stream_typing_notifications: true },
    server_typing_started_wait_period_milliseconds: 10_000,
    server_typing_stopped_wait_period_milliseconds: 5000,
  } as Parameters<typeof replaceState>[0]); // all that is looked at
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const newSender = () => new TypingSender({ kind: "topic", channelId: 1, topic: "plans" });

test("what is sent or taken back at once tells nobody", async () => {
  const sender = newSender();

  sender.changed("ok");
  sender.stop();
  sender.changed("o");
  sender.changed("");
  await vi.advanceTimersByTimeAsync(60_000);

  expect(told).toEqual([]);
});

test("who goes on is told of once, now and then again, and at the end", async () => {
  const sender = newSender();

  for (let letters = 1; letters <= 12; letters++) {
    sender.changed("a".repeat(letters));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(told).toEqual(["start", "start"]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(told).toEqual(["start", "start", "stop"]);
});
