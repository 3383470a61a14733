/** Reads what a test run recorded (server/test/record-shown.ts), and chooses the test to name for each item. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Random tests, which may cover other items next time, and tests that call everything without checking results. */
const aboutNothing = [
  "server/src/http/round-trips.test.ts",
  "server/src/events/sum.test.ts",
  "server/src/events/registration.test.ts",
  "server/src/events/visibility.test.ts",
  "server/src/http/bad-input.test.ts",
  "server/src/domain/messages/access-model.test.ts",
  "server/src/domain/messages/flags/read-state.property.test.ts",
];

export class ShownRecord {
  /** Tests as `file: name`, by item. */
  readonly #tests = new Map<string, Set<string>>();
  /** How many items each file covers: a file that covers few is specific to them. */
  readonly #breadth = new Map<string, number>();

  constructor(folder: string) {
    for (const file of globSync("*.json", { cwd: folder }).toSorted()) {
      const noted = JSON.parse(readFileSync(join(folder, file), "utf8")) as [string, string][]; // as record-shown.ts writes it
      for (const [what, test] of noted) this.#note(what, test);
    }
  }

  get isEmpty(): boolean {
    return this.#tests.size === 0;
  }

  #note(what: string, test: string): void {
    const file = fileOf(test);
    if (aboutNothing.includes(file)) return;
    const tests = this.#tests.get(what) ?? new Set();
    this.#tests.set(what, tests.add(test));
    this.#breadth.set(file, (this.#breadth.get(file) ?? 0) + 1);
  }

  /** The tests that cover each of these items. */
  testsOfAll(things: string[]): Set<string> {
    const [first, ...rest] = things.map((what) => this.#tests.get(what) ?? new Set<string>());
    return rest.reduce((all, tests) => all.intersection(tests), first ?? new Set());
  }

  /** The tests that cover one of these items. */
  testsOf(isMeant: (what: string) => boolean): Set<string> {
    return new Set([...this.#tests].flatMap(([what, tests]) => (isMeant(what) ? [...tests] : [])));
  }

  /**
   * The one to name: of the folder it is at home in, if that is known; rather of an area's own than of those that play a
   * whole client; and of the file that shows the fewest things.
   */
  choose(tests: Set<string>, home = "none"): string | undefined {
    const rank = (test: string): number => {
      if (test.startsWith(home)) return 0;
      return test.startsWith("server/test/") ? 2 : 1;
    };
    const breadth = (test: string) => this.#breadth.get(fileOf(test)) ?? 0;
    const byFit = (a: string, b: string) =>
      rank(a) - rank(b) || breadth(a) - breadth(b) || (a < b ? -1 : Number(a > b));
    return [...tests].toSorted(byFit)[0];
  }
}

const fileOf = (test: string): string => test.split(": ", 1)[0] ?? "";
