import { expect, test } from "vitest";
import { exportAddress, matches, parametersOf, type Entry } from "./audit-log.ts";

const actions = ["user.create", "user.update", "user_group.create", "realm.update"];
const entry = {
  id: 7,
  at: 1000,
  actor: { kind: "user", id: 5 },
  action: "user.update",
  target: { kind: "user", id: 6 },
} as Entry; // the fields in use

test("a group of actions is one parameter with all of them, and nothing of another group", () => {
  expect(parametersOf({ action: "user.", actor_id: 5 }, actions)).toEqual({
    action: ["user.create", "user.update"],
    actor_id: 5,
  });
  expect(parametersOf({ action: "realm.update" }, actions)).toEqual({ action: ["realm.update"] });
  expect(parametersOf({}, actions)).toEqual({});
});

test("an export is requested with the filters of the page", () => {
  expect(exportAddress({}, actions)).toBe("/json/audit_log/export");
  expect(exportAddress({ action: "realm.update", target_kind: "realm", since: 9 }, actions)).toBe(
    "/json/audit_log/export?target_kind=realm&since=9&action=%5B%22realm.update%22%5D",
  );
});

test.each([
  [{}, true],
  [{ actor_id: 5, action: "user.", target_kind: "user", target_id: 6, since: 1000, until: 1000 }, true],
  [{ action: "user.update" }, true],
  [{ actor_id: 6 }, false],
  [{ action: "user.create" }, false],
  [{ action: "user_group." }, false],
  [{ target_kind: "bot" }, false],
  [{ target_id: 7 }, false],
  [{ since: 1001 }, false],
  [{ until: 999 }, false],
] as const)("a new entry appears only if the filter %j leaves it", (filter, isShown) => {
  expect(matches(entry, filter)).toBe(isShown);
});
