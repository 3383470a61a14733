/** The recorded cases of the dialect, if they are stored next to the project: no passing case may start to fail. */
import { expect, test } from "vitest";
import { caseGroups, hasReferenceCases, knownMisses, runCases } from "../../test/markdown-cases.ts";

test("every recorded case passes, except those known to fail", () => {
  const missed = (hasReferenceCases ? caseGroups : []).flatMap(runCases).filter(({ passed }) => !passed);
  const expected = hasReferenceCases ? Object.keys(knownMisses()) : [];

  expect(missed.map(({ id }) => id)).toEqual(expected);
});
