/** The two accounts of a merge. */
export interface Pair {
  realmId: number;
  from: Person;
  into: Person;
}

export interface Person {
  id: number;
  full_name: string;
}

/** Replaces one account by the other in a list of people, each of whom it then has once. */
export const merged = (ids: readonly number[], { from, into }: Pair): number[] => [
  ...new Set(ids.map((id) => (id === from.id ? into.id : id))),
];
