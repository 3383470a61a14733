/** What axe has to say of a page, by the levels of WCAG 2.2 AA. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Question {
  /** A part of the page: a selector. */
  part?: string;
  /** The one rule that depends on the colour scheme, and no other. */
  isOfColours?: boolean;
}

export async function complaintsAbout(
  page: Page,
  { part = ":root", isOfColours = false }: Question = {},
): Promise<string[]> {
  await bringInto(page);
  await page.evaluate(atRest);
  const options = {
    runOnly: isOfColours ? { type: "rule", values: ["color-contrast"] } : { type: "tag", values: levels },
    // Describing all that is right takes most of its time.
    resultTypes: ["violations"],
  };
  return page.evaluate<string[]>(`axe.run({ include: [${JSON.stringify(part)}] }, ${JSON.stringify(options)}).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)))`);
}

/** Colours on their way to others are nobody's choice. What goes on for ever has no end to be at. */
const atRest = `document.getAnimations().forEach((each) =>
  each.effect.getComputedTiming().endTime === Infinity ? each.cancel() : each.finish())`;

/** Its script is large: a page that has it is not given it again. */
async function bringInto(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("'axe' in window")) return;
  await new AxeBuilder({ page }).setLegacyMode(true).withRules(["document-title"]).analyze();
}
