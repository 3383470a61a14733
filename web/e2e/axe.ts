/** Runs axe on a page, at WCAG 2.2 level AA. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Question {
  /** A part of the page: a selector. */
  part?: string;
  /** Only the rule that depends on the color scheme. */
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
    // Reporting what passes takes most of its time.
    resultTypes: ["violations"],
  };
  return page.evaluate<string[]>(`axe.run({ include: [${JSON.stringify(part)}] }, ${JSON.stringify(options)}).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)))`);
}

/** Skips color transitions to their end. Infinite animations have no end. */
const atRest = `document.getAnimations().forEach((each) =>
  each.effect.getComputedTiming().endTime === Infinity ? each.cancel() : each.finish())`;

/** The script is large, so it is injected once per page. */
async function bringInto(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("'axe' in window")) return;
  await new AxeBuilder({ page }).setLegacyMode(true).withRules(["document-title"]).analyze();
}
