import type { TestRealm } from "./realm.ts";

/** Waits until a worker has indexed this message and all before it. */
export async function untilIndexed({ ctx }: TestRealm, id: number): Promise<void> {
  for (;;) {
    const { message_id } = await ctx.db.selectFrom("search_progress").select("message_id").executeTakeFirstOrThrow();
    if (message_id >= id) return;
    await new Promise((resume) => setTimeout(resume, 50));
  }
}
