/** A narrow: terms, in wire format, that a message must all match. */
export interface Term {
  operator: string;
  operand: string | number | number[];
  negated?: true;
}

export type Narrow = readonly Term[];

/** Two narrows are the same if and only if their keys are equal. */
export const narrowKey = (narrow: Narrow): string =>
  JSON.stringify(narrow.map(({ operator, operand, negated }) => [operator, sameCase(operator, operand), negated ?? 0]));

/** Here topic names are case-sensitive. */
const sameCase = (operator: string, operand: Term["operand"]): Term["operand"] =>
  operator === "topic" && typeof operand === "string" ? operand.toLowerCase() : operand;

export const operandOf = (narrow: Narrow, operator: string): Term["operand"] | undefined =>
  narrow.find((term) => term.operator === operator && !term.negated)?.operand;
