/** Prints how many of the recorded cases pass, by family, and fails if one newly fails. */
import { caseGroups, type CaseResult, knownMisses, runCases } from "./markdown-cases.ts";

const known = knownMisses();
const wanted = process.argv[2];
let failed = false;

function report({ id, input, expected, actual, passed }: CaseResult): void {
  if (passed && id in known) {
    failed = true;
    console.log(`    ${id} is listed as a known miss, but passes`);
  }
  if (passed || id in known) return;
  failed = true;
  console.log(`    ${id}\n      input    ${JSON.stringify(input)}`);
  for (const key of Object.keys(expected)) {
    if (JSON.stringify(expected[key]) === JSON.stringify(actual[key])) continue;
    console.log(`      expected ${JSON.stringify(expected[key])}\n      actual   ${JSON.stringify(actual[key])}`);
  }
}

const passedOf = (results: readonly CaseResult[]): string =>
  `${results.filter(({ passed }) => passed).length} of ${results.length}`;

for (const group of caseGroups) {
  const results = runCases(group).filter(
    ({ id, family }) => wanted === undefined || id === wanted || family === wanted,
  );
  if (results.length === 0) continue;
  console.log(`${group}: ${passedOf(results)}`);
  for (const [family, members] of Map.groupBy(results, (result) => result.family)) {
    console.log(`  ${family}: ${passedOf(members)}`);
    for (const result of members) report(result);
  }
}
process.exitCode = failed ? 1 : 0;
