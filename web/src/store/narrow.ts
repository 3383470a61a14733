/** Which messages are meant: terms that must all hold, in the words of the wire. */
export interface Term {
  operator: string;
  operand: string | number | number[];
  negated?: true;
}

export type Narrow = readonly Term[];

/** Two narrows are the same exactly when their keys are. */
export const narrowKey = (narrow: Narrow): string =>
  JSON.stringify(narrow.map(({ operator, operand, negated }) => [operator, sameCase(operator, operand), negated ?? 0]));

/** Names of topics differ by more than case. */
const sameCase = (operator: string, operand: Term["operand"]): Term["operand"] =>
  operator === "topic" && typeof operand === "string" ? operand.toLowerCase() : operand;

export const operandOf = (narrow: Narrow, operator: string): Term["operand"] | undefined =>
  narrow.find((term) => term.operator === operator && !term.negated)?.operand;
