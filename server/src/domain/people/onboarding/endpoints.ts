import { finishOnboardingStep } from "@skein/api/onboarding.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { finishStep } from "./actions.ts";

export const onboardingEndpoints: BoundEndpoint[] = [
  handle(finishOnboardingStep, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "finish onboarding step", (tx) => finishStep(tx, user, params.onboarding_step));
    return {};
  }),
];
