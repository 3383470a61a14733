// @vitest-environment node
import { expect, test } from "vitest";
import { topicConversation } from "../store/conversations.ts";
import { nameLocally } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import { Rows } from "./rows.ts";

const echo = (localId: string, messageId?: number): Outgoing => ({
  localId,
  conversation: topicConversation(1, "logo"),
  content: "words",
  writtenAt: 0,
  afterId: 0,
  state: messageId === undefined ? "sending" : "sent",
  isUncertain: false,
  ...(messageId === undefined ? {} : { messageId }),
});

test("a message being sent is below the newest message until it arrives", () => {
  const run = { ids: [3, 5, 9], hasOldest: true, hasNewest: true };

  const rows = new Rows(run, [echo("a", 9), echo("b")]);

  expect(rows.slice(0, rows.length).map(({ key }) => key)).toEqual(["3", "5", "9", "b"]);
  expect(rows.at(3)).toMatchObject({ id: Infinity, echo: { localId: "b" } });
  expect([rows.at(-1), rows.at(4)]).toEqual([undefined, undefined]);
});

test("pending messages are hidden where newer messages may be missing", () => {
  expect(new Rows({ ids: [3, 5], hasOldest: true, hasNewest: false }, [echo("b")]).length).toBe(2);
  expect(new Rows(undefined, [echo("b")]).length).toBe(0);
});

test("a row is found by its key, including the local id it was written under", () => {
  nameLocally(50, "written");
  const rows = new Rows({ ids: [40, 50, 60], hasOldest: true, hasNewest: true }, [echo("b")]);

  expect(["40", "written", "60", "b", "45", "elsewhere"].map((key) => rows.indexOfKey(key))).toEqual([
    0, 1, 2, 3, -1, -1,
  ]);
  expect([40, 45, 61, Infinity].map((id) => rows.indexOfId(id))).toEqual([0, 1, 3, 3]);
});
