/**
 * Notifies people of each other, but nobody of themself, without one list for each recipient. The positions of two people
 * differ in at least one bit, so for each bit those with a one are notified of those with a zero, and vice versa.
 * Returns pairs of recipients and the people they are notified of.
 */
export function pairsWithoutSelf(recipients: readonly number[], people: readonly number[]): [number[], number[]][] {
  const positionOf = new Map(people.map((id, position) => [id, position]));
  const pairs: [number[], number[]][] = [];
  for (let bit = 1; bit < people.length; bit *= 2) {
    const hasBit = (id: number) => ((positionOf.get(id) ?? 0) & bit) > 0;
    for (const side of [true, false]) {
      const notified = recipients.filter((id) => hasBit(id) === side);
      const others = people.filter((id) => hasBit(id) !== side);
      if (notified.length > 0 && others.length > 0) pairs.push([notified, others]);
    }
  }
  return pairs;
}
