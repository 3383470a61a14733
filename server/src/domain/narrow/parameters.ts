/** The values of a statement that is put together from fragments; a fragment refers to a value by its position. */
import type { User } from "../../http/sessions.ts";
import { askerValues } from "../messages/access.ts";

export class Parameters {
  readonly values: unknown[];

  /** The first five are those of the account that asks: see messages/access.ts. */
  constructor(user: User) {
    this.values = askerValues(user);
  }

  /** SQL for the value. */
  add(value: unknown, type: "bigint" | "bigint[]" | "integer" | "text" | "text[]"): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
