/** Flags of people on messages, such as stars. There can be millions, so they are numbers. */
import { type JsonRecord, numberOf } from "../archive/json.ts";

/** As bits, which have the values of Zulip's exports. */
export const flagBits = {
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  topic_wildcard_mentioned: 32,
  has_alert_word: 512,
} as const;

const names = Object.keys(flagBits) as (keyof typeof flagBits)[]; // its own keys

export class Flags {
  /** Sorted by message. */
  readonly #messages: Float64Array;
  readonly #people: Float64Array;
  readonly #bits: Uint16Array;

  private constructor(messages: number[], people: number[], bits: number[]) {
    const order = Uint32Array.from(messages.keys()).toSorted(
      (one, other) => (messages[one] ?? 0) - (messages[other] ?? 0),
    );
    this.#messages = Float64Array.from(order, (index) => messages[index] ?? 0);
    this.#people = Float64Array.from(order, (index) => people[index] ?? 0);
    this.#bits = Uint16Array.from(order, (index) => bits[index] ?? 0);
  }

  /** From the rows of an export. */
  static async read(rows: AsyncIterable<JsonRecord>): Promise<Flags> {
    const [messages, people, bits]: [number[], number[], number[]] = [[], [], []];
    for await (const row of rows) {
      const message = numberOf(row["message_id"]);
      const person = numberOf(row["user_id"]);
      const flags = names.reduce((sum, name) => sum | (row[name] === true ? flagBits[name] : 0), 0);
      if (message === undefined || person === undefined || flags === 0) continue;
      messages.push(message);
      people.push(person);
      bits.push(flags);
    }
    return new Flags(messages, people, bits);
  }

  *of(message: number): Generator<{ person: number; flags: number }> {
    for (let index = this.#firstOf(message); this.#messages[index] === message; index++)
      yield { person: this.#people[index] ?? 0, flags: this.#bits[index] ?? 0 };
  }

  #firstOf(message: number): number {
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#messages[middle] ?? 0) < message) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
