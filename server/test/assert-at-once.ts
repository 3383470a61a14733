/**
 * Holds something against random values, several at a time, since most of the time passes in waiting. Each lane has a seed
 * of its own. When one fails the others end; what failed is made smaller for as long as there is time, and shown together
 * with its seed, which given as the first one brings it back.
 */
import fc from "fast-check";

interface Runs {
  seed: number;
  numRuns: number;
  lanes: number;
  /** For all of it; it is a failure when not everything could be tried. */
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
