/** Hints for a first day. The server keeps which of them somebody has seen, so that none comes twice. */
import { computed } from "@preact/signals";
import { finishOnboardingStep } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { applyEvents } from "./events.ts";
import { part } from "./state.ts";

/** What the protocol calls the hint about going from a list of messages into a conversation. */
const topicHint = "jump_to_conversation_banner";

export const isTopicHintDue = computed(
  () => part("onboarding_steps").value?.some(({ name }) => name === topicHint) ?? false,
);

/** Whoever has opened or begun a topic knows what it is. */
export function finishTopicHint(): void {
  if (!isTopicHintDue.peek()) return;
  const left = (part("onboarding_steps").peek() ?? []).filter(({ name }) => name !== topicHint);
  applyEvents([{ type: "onboarding_steps", onboarding_steps: left }]);
  // Where the server did not hear of it, the hint comes once more.
  call(finishOnboardingStep, { onboarding_step: topicHint }).catch(() => undefined);
}
