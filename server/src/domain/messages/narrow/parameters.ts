/** The parameters of a statement built from fragments; a fragment refers to a value by its position. */
import type { User } from "../../../identity/account.ts";
import { callerValues } from "../access.ts";

export class Parameters {
  readonly values: unknown[];

  /** The first five identify the caller: see messages/access.ts. */
  constructor(user: User) {
    this.values = callerValues(user);
  }

  /** Adds a value and returns SQL for it. */
  add(value: unknown, type: "bigint" | "bigint[]" | "integer" | "text" | "text[]" | "timestamptz"): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
