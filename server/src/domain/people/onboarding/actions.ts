import { onboardingSteps } from "@skein/api/onboarding.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { listUnfinishedSteps } from "./queries.ts";

/** Emits nothing when the step was already finished. */
export async function finishStep(tx: Tx, user: User, name: string): Promise<void> {
  if (user.is_bot) throw notForBots();
  const step = onboardingSteps.find((one) => one === name);
  if (step === undefined) throw new ApiError(`Unknown onboarding_step: ${name}`);
  const { id: user_id, realm_id } = user;
  // Serializes concurrent steps, so that neither event still lists the other's step.
  await tx.selectFrom("users").select("id").where("id", "=", user_id).forNoKeyUpdate().execute();
  const added = await tx
    .insertInto("finished_onboarding_steps")
    .values({ user_id, realm_id, step })
    .onConflict((conflict) => conflict.doNothing())
    .returning("step")
    .executeTakeFirst();
  if (!added) return;
  const onboarding_steps = await listUnfinishedSteps(tx, user);
  emit(tx, realm_id, toUser(user_id), { type: "onboarding_steps", onboarding_steps });
}
