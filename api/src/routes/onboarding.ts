/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../onboarding.ts";
import type { Route } from "../route.ts";

export const finishOnboardingStep: Route<typeof declared.finishOnboardingStep> = {
  method: "POST",
  path: "/users/me/onboarding_steps",
  texts: ["onboarding_step"],
};
