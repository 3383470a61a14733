/** A way to reach messages that returned something else than the rule allows. */
export interface Difference {
  way: string;
  person: number;
  came: unknown;
  expected: unknown;
  step?: unknown;
}
