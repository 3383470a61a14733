import { onboardingSteps, type OnboardingStep } from "@skein/api/onboarding.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";

/** The hints the user has not seen yet. Bots get none. */
export async function listUnfinishedSteps(db: Db, user: User): Promise<OnboardingStep[]> {
  if (user.is_bot) return [];
  const rows = await db
    .selectFrom("finished_onboarding_steps")
    .select("step")
    .where("realm_id", "=", user.realm_id)
    .where("user_id", "=", user.id)
    .execute();
  const finished = new Set(rows.map((row) => row.step));
  return onboardingSteps.filter((name) => !finished.has(name)).map((name) => ({ type: "one_time_notice", name }));
}
