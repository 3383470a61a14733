/**
 * How people are told of each other, none of themself, without a list for each: two places differ in at least one binary
 * digit, so for each digit those with a one are told of those with a zero, and the other way round.
 */
export function toEachOther(listeners: readonly number[], people: readonly number[]): [number[], number[]][] {
  const placeOf = new Map(people.map((id, place) => [id, place]));
  const told: [number[], number[]][] = [];
  for (let digit = 1; digit < people.length; digit *= 2) {
    const hasDigit = (id: number) => ((placeOf.get(id) ?? 0) & digit) > 0;
    for (const side of [true, false]) {
      const hearing = listeners.filter((id) => hasDigit(id) === side);
      const others = people.filter((id) => hasDigit(id) !== side);
      if (hearing.length > 0 && others.length > 0) told.push([hearing, others]);
    }
  }
  return told;
}
