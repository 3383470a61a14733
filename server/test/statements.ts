import type { TestRealm } from "./realm.ts";

const repetitions = 5;

/**
 * Counts the round trips to the database of a call on the second node (`on(1)`), which runs no jobs and no relay. Returns
 * the minimum of several runs, because a node also has background work.
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
