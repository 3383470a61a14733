// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { iconNames } from "./icon-names.ts";
import { sprite } from "./sprite.ts";

test("the sprite has the named icons, in order; after a change run node web/bin/write-icons.ts", () => {
  expect(readFileSync(`${import.meta.dirname}/icons.svg`, "utf8")).toBe(sprite());
  expect(iconNames).toEqual([...iconNames].toSorted());
});
