import { finishOnboardingStep, onboardingSteps } from "@skein/api/onboarding.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { newRealm, success } from "../../../../test/realm.ts";

test("a hint once seen is not shown again on any device of that user", async () => {
  const realm = await newRealm();
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  const queue = await hamlet.register(["onboarding_steps", "stream"], ["onboarding_steps"]);
  const other = await horatio.register(["onboarding_steps", "stream"], ["onboarding_steps"]);
  const [first, ...rest] = onboardingSteps.map((name) => ({ type: "one_time_notice", name }));
  expect(queue.state.onboarding_steps).toEqual([first, ...rest]);

  success(await hamlet.call(finishOnboardingStep, { onboarding_step: first?.name ?? "" }));
  success(await hamlet.call(finishOnboardingStep, { onboarding_step: first?.name ?? "" }));

  const [events, otherEvents] = await eventsUntilNow(realm, [queue, other]);
  expect(events).toEqual([{ type: "onboarding_steps", onboarding_steps: rest }]);
  expect(otherEvents).toEqual([]);
  expect((await hamlet.register([], ["onboarding_steps"])).state.onboarding_steps).toEqual(rest);
  expect((await horatio.register([], ["onboarding_steps"])).state.onboarding_steps).toEqual([first, ...rest]);
});

test("after concurrent hints the last event lists none as left", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["onboarding_steps"]);

  const responses = await Promise.all(
    onboardingSteps.map((onboarding_step, node) => hamlet.on(node).call(finishOnboardingStep, { onboarding_step })),
  );

  for (const response of responses) success(response);
  const events = [];
  for (const _ of onboardingSteps) events.push(await queue.next());
  expect(events.at(-1)).toEqual({ type: "onboarding_steps", onboarding_steps: [] });
});

test("an unknown hint is refused", async () => {
  const realm = await newRealm();

  expect(await realm.admin.call(finishOnboardingStep, { onboarding_step: "dance" })).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Unknown onboarding_step: dance",
  });
});
