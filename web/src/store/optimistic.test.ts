import type { Event } from "@skein/api/events.ts";
import { expect, test, vi } from "vitest";
import { change } from "./optimistic.ts";

const about = { type: "update_message_flags", flag: "starred", all: false } as const;
const starred = { ...about, messages: [1], op: "add", operation: "add" } satisfies Event;
const unstarred = { ...about, messages: [1], op: "remove", operation: "remove" } satisfies Event;

test("of two changes the second is asked for once the first is answered, refused or not", async () => {
  const first = Promise.withResolvers<void>();
  const asked: string[] = [];

  change({ event: starred, undo: unstarred, request: () => (asked.push("add"), first.promise) });
  change({ event: unstarred, undo: starred, request: async () => void asked.push("remove") });

  await vi.waitFor(() => expect(asked).toEqual(["add"]));
  first.reject(new Error("no"));
  await vi.waitFor(() => expect(asked).toEqual(["add", "remove"]));
});
