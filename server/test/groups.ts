/** Groups as tests name them: those there are, and lists of people as the value of a permission. */
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

/** The value of a permission that these hold and nobody else. */
export const only = (...users: TestUser[]) => ({ direct_members: users.map((user) => user.id), direct_subgroups: [] });
