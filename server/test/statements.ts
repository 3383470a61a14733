import type { TestRealm } from "./realm.ts";

const repetitions = 5;

/** How many round trips to the database a call on the first node takes: the fewest seen, since nodes do other things too. */
export async function statementsOf(realm: TestRealm, call: () => Promise<unknown>): Promise<number> {
  const { statements } = realm.ctx.metrics;
  const count = async () => (await statements.get()).values[0]?.value ?? 0;
  const counts: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    const before = await count();
    await call();
    counts.push((await count()) - before);
  }
  return Math.min(...counts);
}
