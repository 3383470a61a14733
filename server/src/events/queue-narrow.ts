/** Which message events a queue can be narrowed to. What depends on later choices of its reader is not among it. */
import { ApiError } from "../errors.ts";

const operators = new Set(["channel", "stream", "topic", "sender", "is"]);
/** Whether a topic is followed or muted may change while the queue lives. */
const changeable = new Set(["followed", "muted"]);

export function checkQueueNarrow(narrow: [string, string][]): void {
  for (const [operator, operand] of narrow) {
    if (!operators.has(operator)) throw new ApiError(`Operator ${operator} not supported.`);
    if (operator === "is" && changeable.has(operand)) throw new ApiError(`Operand ${operand} not supported.`);
  }
}
