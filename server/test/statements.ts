import type { TestRealm } from "./realm.ts";

const repetitions = 5;

/**
 * How many round trips to the database a call on the second node takes (`on(1)`), which does no work for
 * others: no jobs, no relaying. The fewest seen, for a node also does things of its own.
 */
export async function statementsOf(realm: TestRealm, call: () => Promise<unknown>): Promise<number> {
  const statements = realm.nodes[1]?.ctx.metrics.statements;
  if (!statements) throw new Error("the realm has no second node");
  const count = async () => (await statements.get()).values[0]?.value ?? 0;
  const counts: number[] = [];
  for (let i = 0; i < repetitions; i++) {
    const before = await count();
    await call();
    counts.push((await count()) - before);
  }
  return Math.min(...counts);
}
