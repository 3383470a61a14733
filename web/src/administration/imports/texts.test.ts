// @vitest-environment node
import { expect, test } from "vitest";
import { phases } from "../../../../server/src/domain/data/imports/run/import-context.ts";
import { emptyReport, skipReasons } from "../../../../server/src/domain/data/imports/run/report.ts";
import "../../text/chunks/imports.ts";
import { kindText, phaseText, reasonText } from "./texts.ts";

test.each([
  ["kind", Object.keys(emptyReport().imported), kindText],
  ["reason", skipReasons, reasonText],
  ["phase", phases, phaseText],
] as const)("every %s that the server names has a text", (_what, names, textOf) => {
  expect(names.filter((name) => textOf(name) === name)).toEqual([]);
});
