/** What became of an attempt to reach a device. */
export type PushOutcome =
  | "sent"
  /** The push service does not know the device any more. */
  | "gone"
  /** It will never take this; the device may well take the next. */
  | "refused";

/** It may work another time. The message says why, without anything an answer contained. */
export class PushFailed extends Error {
  override name = "PushFailed";
}

/** By the status of an answer: what the push services of browsers agreed on, and our relay with them. */
export function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return "sent";
  if (status === 404 || status === 410) return "gone";
  if (status === 408 || status === 429 || status >= 500) throw new PushFailed(`answered with status ${status}`);
  return "refused";
}
