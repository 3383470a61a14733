/**
 * Checks a property with random values, several in parallel, since most of the time is spent waiting. Each lane has its own
 * seed. When one lane fails, the others stop; the failing case is shrunk for as long as there is time, and reported with its
 * seed. Pass that seed as the first one to reproduce the failure.
 */
import fc from "fast-check";

interface Runs {
  seed: number;
  numRuns: number;
  lanes: number;
  /** For all lanes together; the test fails if the time is not enough for all cases. */
  seconds: number;
}

export async function assertAtOnce<T>(
  values: fc.Arbitrary<T>,
  check: (value: T) => Promise<void>,
  { seed, numRuns, lanes, seconds }: Runs,
): Promise<void> {
  let failing: number | undefined;
  const run = (lane: number) => {
    const property = fc.asyncProperty(values, async (value) => {
      if (failing !== undefined && failing !== lane) return;
      try {
        await check(value);
      } catch (error) {
        failing ??= lane;
        throw error;
      }
    });
    return fc.assert(property, {
      seed: seed + lane,
      numRuns: Math.ceil(numRuns / lanes),
      interruptAfterTimeLimit: seconds * 1000,
      markInterruptAsFailure: true,
    });
  };
  const outcomes = await Promise.allSettled(Array.from({ length: lanes }, (_, lane) => run(lane)));
  const [first] = outcomes.filter((outcome) => outcome.status === "rejected");
  const failed = failing === undefined ? first : outcomes[failing];
  if (failed?.status === "rejected") throw failed.reason;
}
