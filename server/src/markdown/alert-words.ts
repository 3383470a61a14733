/** Finds the users whose alert words occur in the text. The dialect defines its own word boundaries. */

const startsAfter: ReadonlySet<string> = new Set(" \n(\".,';[*`>");
const endsBefore: ReadonlySet<string> = new Set(" \n)?:.,';]!*`");

interface AlertIndex {
  users: ReadonlyMap<string, readonly number[]>;
  lengths: readonly number[];
}

/** The words rarely change between messages, so the index is built once per map. */
const indexes = new WeakMap<ReadonlyMap<number, readonly string[]>, AlertIndex>();

function toIndex(alertWords: ReadonlyMap<number, readonly string[]>): AlertIndex {
  const known = indexes.get(alertWords);
  if (known !== undefined) return known;
  const users = new Map<string, number[]>();
  for (const [user, words] of alertWords) {
    for (const word of words) {
      const lower = word.toLowerCase();
      const others = users.get(lower);
      if (others === undefined) users.set(lower, [user]);
      else others.push(user);
    }
  }
  const index = { users, lengths: [...new Set(Array.from(users.keys(), (word) => word.length))] };
  indexes.set(alertWords, index);
  return index;
}

export function findAlertedUsers(
  text: string,
  alertWords: ReadonlyMap<number, readonly string[]> | undefined,
): number[] {
  if (alertWords === undefined || alertWords.size === 0) return [];
  const { users, lengths } = toIndex(alertWords);
  const lower = text.toLowerCase();
  const alerted = new Set<number>();
  for (let start = 0; start < lower.length; start++) {
    if (start > 1 && !startsAfter.has(lower.charAt(start - 1))) continue;
    for (const length of lengths) {
      const end = start + length;
      if (end > lower.length || (end < lower.length && !endsBefore.has(lower.charAt(end)))) continue;
      for (const user of users.get(lower.slice(start, end)) ?? []) alerted.add(user);
    }
  }
  return [...alerted].toSorted((a, b) => a - b);
}
