/**
 * How fast a phase goes. An import that continues finds a part of the phase done already: what counts is done since the first
 * count that it reports.
 */
export class Rate {
  #phase = "";
  #began: { at: number; done: number } | undefined;

  /** Done per second since the phase began here; 0 while that is unknown. `now` is in milliseconds. */
  note(phase: string, done: number, now: number): number {
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#began = undefined;
    }
    if (done === 0) return 0;
    this.#began ??= { at: now, done };
    const seconds = (now - this.#began.at) / 1000;
    return seconds > 0 ? (done - this.#began.done) / seconds : 0;
  }
}
