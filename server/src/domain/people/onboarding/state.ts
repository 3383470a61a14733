import type { StatePart } from "../../../events/state-part.ts";
import { listUnfinishedSteps } from "./queries.ts";

export const onboardingState: StatePart = {
  types: ["onboarding_steps"],
  load: async (db, { user }) => ({
    onboarding_steps: await listUnfinishedSteps(db, user),
    navigation_tour_video_url: null,
  }),
};
