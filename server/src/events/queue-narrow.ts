/** Which narrows an event queue supports. Those that depend on settings the user may change later are excluded. */
import { ApiError } from "../errors.ts";

const operators = new Set(["channel", "stream", "topic", "sender", "is"]);
/** A topic may become followed or muted during the lifetime of the queue. */
const changeable = new Set(["followed", "muted"]);

export function checkQueueNarrow(narrow: [string, string][]): void {
  for (const [operator, operand] of narrow) {
    if (!operators.has(operator)) throw new ApiError(`Operator ${operator} not supported.`);
    if (operator === "is" && changeable.has(operand)) throw new ApiError(`Operand ${operand} not supported.`);
  }
}
