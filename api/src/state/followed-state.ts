/**
 * A client's copy of the server's state: the registration response, updated by each event. Parts that were not requested
 * are absent, and events about them change nothing.
 *
 * **Invariant:** nothing is changed in place, and lists keep the order of the registration response.
 */
import type { RegistrationState } from "../registration.ts";

/** The user's own id is required, because direct messages and subscriber lists depend on it. */
export type FollowedState = RegistrationState & { user_id: number };

/** The options of the registration that determine how events are applied. */
export interface RegistrationOptions {
  include_subscribers?: boolean | "partial";
  archived_channels?: boolean;
}

/** The state with one part changed; absent parts stay absent. */
export function change<K extends keyof FollowedState>(
  state: FollowedState,
  part: K,
  next: (value: NonNullable<FollowedState[K]>) => FollowedState[K],
): FollowedState {
  const value = state[part];
  return value === undefined || value === null ? state : { ...state, [part]: next(value) };
}

export const insertSorted = (numbers: readonly number[], added: readonly number[]): number[] =>
  [...new Set([...numbers, ...added])].toSorted((a, b) => a - b);

export const without = (numbers: readonly number[], removed: readonly number[]): number[] => {
  const gone = new Set(removed);
  return numbers.filter((number) => !gone.has(number));
};
