/**
 * The time line: ten working days within the fourteen days before now, and the time since the owner left. The length of
 * the latter depends on the day of the week, so times in it are given as a fraction of it.
 */
const day = 24 * 60 * 60 * 1000;
const minute = 60 * 1000;

/** In UTC; people are in many time zones. */
const leavesAt = { hour: 17, minute: 30 };
const lastHour = 18;
const firstHour = 8;

export type Moment =
  /** On a working day, from 1 to 10. */
  | { day: number; hour: number; minute: number }
  /** Since the owner left: 0 at that moment, 1 now. */
  | { sinceOwnerLeft: number };

export class Calendar {
  readonly now: Date;
  readonly #workingDays: number[];

  constructor(now: Date) {
    this.now = now;
    const today = Math.floor(now.getTime() / day) * day;
    this.#workingDays = Array.from({ length: 14 }, (_, index) => today - (14 - index) * day).filter(isWorkingDay);
  }

  /** When the owner left; later messages are unread. */
  get ownerLeft(): Date {
    return this.#onDay({ day: 10, ...leavesAt });
  }

  at(moment: Moment): Date {
    if (!("sinceOwnerLeft" in moment)) return this.#onDay(moment);
    const left = this.ownerLeft.getTime();
    return new Date(left + moment.sinceOwnerLeft * (this.now.getTime() - left));
  }

  /** Some minutes later, or the next morning if that is in the evening. */
  later(time: Date, minutes: number): Date {
    const later = new Date(time.getTime() + minutes * minute);
    if (time > this.ownerLeft || later.getUTCHours() < lastHour) return later;
    const next = this.#workingDays.find((begin) => begin > time.getTime());
    return next === undefined ? later : new Date(next + firstHour * 60 * minute + later.getUTCMinutes() * minute);
  }

  #onDay({ day: number, hour, minute: minutes }: { day: number; hour: number; minute: number }): Date {
    const begin = this.#workingDays[number - 1];
    if (begin === undefined) throw new Error(`there is no working day ${number}`);
    return new Date(begin + (hour * 60 + minutes) * minute);
  }
}

const isWorkingDay = (begin: number): boolean => ![0, 6].includes(new Date(begin).getUTCDay());
