import { expect, test } from "vitest";
import type { RocketLookup } from "./markdown.ts";
import { RocketReader } from "./messages.ts";

test("encrypted messages are counted apart from those of the chat itself", () => {
  const skipped: [string, string][] = [];
  const reader = new RocketReader({
    people: new Map(),
    lookup: {} as RocketLookup, // not asked for messages that are left out
    customEmoji: new Set(),
    uploadOf: () => undefined,
    noteSkipped: (reason, id) => skipped.push([reason, id]),
  });
  const message = { ts: 1_716_386_400_000, u: { _id: "u1" }, msg: "c2VjcmV0" };

  for (const [_id, t] of [
    ["m1", "e2e"],
    ["m2", "uj"],
  ])
    expect([...reader.read({ ...message, _id, t }, { channelId: "r1" })]).toEqual([]);

  expect(skipped).toEqual([
    ["encrypted_message", "m1"],
    ["system_message", "m2"],
  ]);
});
