/** Helpers for group settings: system groups, and lists of users as the value of a permission. */
import type { TestRealm, TestUser } from "./realm.ts";

export async function groupId(realm: TestRealm, name: string): Promise<number> {
  const { id } = await realm.ctx.db
    .selectFrom("user_groups")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  return id;
}

/** The value of a permission that only these users hold. */
export const only = (...users: TestUser[]) => ({ direct_members: users.map((user) => user.id), direct_subgroups: [] });
