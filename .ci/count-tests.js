// Prints how many tests of a vitest JSON report passed and failed. A file that could not be loaded counts as one failure.
import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = text === "" ? {} : JSON.parse(text);
const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
console.log(numPassedTests, numFailedTests + broken.length);
