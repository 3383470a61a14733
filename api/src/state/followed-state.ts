/**
 * What a client holds of the server's state: the registration answer, brought up to date event by event. Parts that
 * were not asked for are absent, and events about them change nothing.
 *
 * **Invariant:** nothing is changed in place, and lists stay in the order the registration answer has them.
 */
import type { RegistrationState } from "../registration.ts";

/** The user's own id decides what direct messages and subscriber lists mean, so it must be there. */
export type FollowedState = RegistrationState & { user_id: number };

/** What the registration asked for, as far as it decides how events are to be read. */
export interface Asked {
  include_subscribers?: boolean;
  archived_channels?: boolean;
}

/** The state with some parts changed; parts that are not in it stay out. */
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
