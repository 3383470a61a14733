/** Onboarding: hints for new users, each shown by clients until the user has seen it. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";

/** In the order they are shown. */
export const onboardingSteps = [
  "visibility_policy_banner",
  "intro_inbox_view_modal",
  "intro_recent_view_modal",
  "first_stream_created_banner",
  "jump_to_conversation_banner",
  "non_interleaved_view_messages_fading",
  "interleaved_view_messages_fading",
  "intro_resolve_topic",
] as const;

const onboardingStep = z
  .strictObject({ type: z.string().describe("Always one_time_notice."), name: z.string() })
  .meta({ id: "OnboardingStep" });
export type OnboardingStep = z.output<typeof onboardingStep>;

export const finishOnboardingStep = endpoint({
  operation: "finish-onboarding-step",
  method: "POST",
  path: "/users/me/onboarding_steps",
  auth: "user",
  scope: "account",
  area: "Users",
  summary: "Finish an onboarding step",
  description: "Mark a hint as seen, so that it is not shown again.",
  params: { onboarding_step: z.string().describe("The name of the hint.") },
  returns: {},
});

const unfinished = z.array(onboardingStep);

export const onboardingState = {
  onboarding_steps: unfinished.describe("The hints the user has yet to see; none for bots."),
  navigation_tour_video_url: z
    .string()
    .nullable()
    .describe("A video tour for new users; null, because this server has none."),
};

export const onboardingEvent = z.strictObject({
  type: z.literal("onboarding_steps"),
  onboarding_steps: unfinished.describe("Those that are left."),
});

export const endpoints = [finishOnboardingStep];
