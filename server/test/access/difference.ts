/** A way to messages by which something else came than should have. */
export interface Difference {
  way: string;
  person: number;
  came: unknown;
  expected: unknown;
  step?: unknown;
}
