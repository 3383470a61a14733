import type { Event } from "@skein/api/events.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyEvents, onEvent } from "./events.ts";
import { findMessage, type Message } from "./messages.ts";
import { part, replaceState } from "./state.ts";

const reported = vi.fn<(error: unknown) => void>();

beforeEach(() => {
  vi.stubGlobal("reportError", reported);
  reported.mockClear();
  replaceState({ user_id: 5, max_message_id: 1 });
});
afterEach(() => vi.unstubAllGlobals());

const arrival = (id: number): Event => ({
  type: "message",
  flags: [],
  message: { id, sender_id: 7, stream_id: 1, subject: "logo", content: "<p>hello</p>", type: "stream" } as Message, // the fields in use
});
/** Of a known type, with nothing in it. */
const broken = { type: "message" } as unknown as Event; // a server bug

test("an event that cannot be applied does not stop the others from being applied", () => {
  const isExact = applyEvents([broken, arrival(11), broken]);

  expect(isExact).toBe(false);
  expect(part("max_message_id").value).toBe(11);
  expect(findMessage(11)?.value.content).toBe("<p>hello</p>");
  expect(reported).toHaveBeenCalled();
});

test("a listener that throws stops neither other listeners nor later events", () => {
  const received: number[] = [];
  const stops = [
    onEvent(() => {
      throw new Error("a listener's fault");
    }),
    onEvent((event) => event.type === "message" && received.push(event.message.id)),
  ];

  const isExact = applyEvents([arrival(21), arrival(22)]);
  for (const stop of stops) stop();

  expect(isExact).toBe(false);
  expect(received).toEqual([21, 22]);
  expect(applyEvents([arrival(23)])).toBe(true);
});
