import { onboardingSteps } from "@skein/api/onboarding.ts";
import { ApiError, notForBots } from "../../errors.ts";
import { toUser } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { listUnfinishedSteps } from "./queries.ts";

/** A step that was finished before tells nobody anything. */
export async function finishStep(tx: Tx, user: User, name: string): Promise<void> {
  if (user.is_bot) throw notForBots();
  const step = onboardingSteps.find((one) => one === name);
  if (step === undefined) throw new ApiError(`Unknown onboarding_step: ${name}`);
  const { id: user_id, realm_id } = user;
  // Two steps that are finished at once must not each leave the other in what is told.
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
