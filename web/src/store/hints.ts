/** First-day hints. The server stores which ones a user has seen, so that none is shown twice. */
import { computed } from "@preact/signals";
import { finishOnboardingStep } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { applyEvents } from "./events.ts";
import { part } from "./state.ts";

/** The protocol's name for the hint about going from a list of messages into a conversation. */
const topicHint = "jump_to_conversation_banner";

export const isTopicHintDue = computed(
  () => part("onboarding_steps").value?.some(({ name }) => name === topicHint) ?? false,
);

/** Someone who has opened or started a topic knows what a topic is. */
export function finishTopicHint(): void {
  if (!isTopicHintDue.peek()) return;
  const left = (part("onboarding_steps").peek() ?? []).filter(({ name }) => name !== topicHint);
  applyEvents([{ type: "onboarding_steps", onboarding_steps: left }]);
  // If the request failed, the hint is shown once more.
  call(finishOnboardingStep, { onboarding_step: topicHint }).catch(() => undefined);
}
