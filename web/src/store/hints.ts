/** First-day hints. The server stores which ones a user has seen, so that none is shown twice. */
import { computed } from "@preact/signals";
import { finishOnboardingStep } from "@skein/api/routes/onboarding.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { call } from "../api/call.ts";
import { perform } from "./operations.ts";
import { part } from "./state.ts";

/** The protocol's name for the hint about going from a list of messages into a conversation. */
const topicHint = "jump_to_conversation_banner";

export const isTopicHintDue = computed(
  () => part("onboarding_steps").value?.some(({ name }) => name === topicHint) ?? false,
);

type Steps = Pick<FollowedState, "onboarding_steps">;

const withoutHint = ({ onboarding_steps = [] }: Steps) => ({
  type: "onboarding_steps" as const,
  onboarding_steps: onboarding_steps.filter(({ name }) => name !== topicHint),
});

/** Someone who has opened or started a topic knows what a topic is. */
export function finishTopicHint(): void {
  if (!isTopicHintDue.peek()) return;
  perform({
    key: topicHint,
    event: withoutHint({ onboarding_steps: part("onboarding_steps").peek() }),
    eventFor: withoutHint,
    isConfirmedBy: (event) =>
      event.type === "onboarding_steps" && !event.onboarding_steps.some(({ name }) => name === topicHint),
    request: () => call(finishOnboardingStep, { onboarding_step: topicHint }),
    // If the request failed, the hint is shown once more.
    onEnd: () => undefined,
  });
}
