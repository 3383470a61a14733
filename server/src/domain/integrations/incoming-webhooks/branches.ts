/** Restricts push notifications to the branches listed in the URL. */
import { z } from "zod";
import { matches } from "./filter.ts";
import type { UrlOption } from "./integration.ts";

export const branchesOption: UrlOption = {
  key: "branches",
  label: "Only report pushes to these branches (comma-separated)",
  isSwitch: false,
};

const ref = z.object({ ref: z.templateLiteral(["refs/heads/", z.string()]) });

/** Whether this is a push to a branch that is not listed; `*` in a listed name matches any text. */
export function isOtherBranch(push: unknown, listed: string | undefined): boolean {
  const read = ref.safeParse(push);
  if (!read.success || listed === undefined) return false;
  const branch = read.data.ref.slice("refs/heads/".length);
  return !listed.split(",").some((pattern) => matches(branch, pattern.trim()));
}
