/** The outcome of an attempt to notify a device. */
export type PushOutcome =
  | "sent"
  /** The push service no longer knows the device. */
  | "gone"
  /** The push service will never accept this notification, but may accept the next one. */
  | "refused";

/** A temporary failure. Its message contains nothing from the response. */
export class PushFailed extends Error {
  override name = "PushFailed";
}

/** From a response's status, as in the Web Push standard, which our relay follows, too. */
export function outcomeOf(status: number): PushOutcome {
  if (status >= 200 && status < 300) return "sent";
  if (status === 404 || status === 410) return "gone";
  if (status === 408 || status === 429 || status >= 500) throw new PushFailed(`answered with status ${status}`);
  return "refused";
}
