// Prints how many tests of a vitest JSON report passed and failed, then each failure with the first lines of its message. A
// file that failed outside of its tests, while loading or in a hook, counts as one failure.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const linesShown = 12;
const text = readFileSync(process.argv[2], "utf8");
const { numPassedTests = 0, testResults = [] } = text === "" ? {} : JSON.parse(text);

const failures = testResults.flatMap((file) => {
  const tests = file.assertionResults.filter((test) => test.status === "failed");
  const failed = tests.map((test) => [file, test.fullName, test.failureMessages.join("\n")]);
  if (file.message !== "" || (file.status === "failed" && failed.length === 0))
    failed.push([file, "outside of its tests", file.message]);
  return failed;
});
console.log(numPassedTests, failures.length);
for (const [{ name }, what, message] of failures) {
  console.log(`${relative(process.cwd(), name)}: ${what}`);
  const lines = message.split("\n").filter((line) => !line.includes("/node_modules/"));
  for (const line of lines.slice(0, linesShown)) console.log(`    ${line}`);
}
