/** The recorded cases of the dialect, where they lie beside the project: none that passes may be lost. */
import { expect, test } from "vitest";
import { caseGroups, hasReferenceCases, knownMisses, runCases } from "../../test/markdown-cases.ts";

test("every recorded case comes out right, but for those known to miss", () => {
  const missed = (hasReferenceCases ? caseGroups : []).flatMap(runCases).filter(({ passed }) => !passed);
  const expected = hasReferenceCases ? Object.keys(knownMisses()) : [];

  expect(missed.map(({ id }) => id)).toEqual(expected);
});
