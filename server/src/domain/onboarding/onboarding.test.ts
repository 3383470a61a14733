import { finishOnboardingStep, onboardingSteps } from "@skein/api/onboarding.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../test/events-until.ts";
import { newRealm, success } from "../../../test/realm.ts";

test("a hint that was seen is shown no more, on any device of that user", async () => {
  const realm = await newRealm();
  const [hamlet, horatio] = [await realm.user("hamlet"), await realm.user("horatio")];
  const queue = await hamlet.register(["onboarding_steps", "stream"], ["onboarding_steps"]);
  const other = await horatio.register(["onboarding_steps", "stream"], ["onboarding_steps"]);
  const [first, ...rest] = onboardingSteps.map((name) => ({ type: "one_time_notice", name }));
  expect(queue.state.onboarding_steps).toEqual([first, ...rest]);

  success(await hamlet.call(finishOnboardingStep, { onboarding_step: first?.name ?? "" }));
  success(await hamlet.call(finishOnboardingStep, { onboarding_step: first?.name ?? "" }));

  const [told, toldOther] = await eventsUntilNow(realm, [queue, other]);
  expect(told).toEqual([{ type: "onboarding_steps", onboarding_steps: rest }]);
  expect(toldOther).toEqual([]);
  expect((await hamlet.register([], ["onboarding_steps"])).state.onboarding_steps).toEqual(rest);
  expect((await horatio.register([], ["onboarding_steps"])).state.onboarding_steps).toEqual([first, ...rest]);
});

test("of all hints seen at once the last that is told says that none is left", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const queue = await hamlet.register(["onboarding_steps"]);

  const answers = await Promise.all(
    onboardingSteps.map((onboarding_step, node) => hamlet.on(node).call(finishOnboardingStep, { onboarding_step })),
  );

  for (const answer of answers) success(answer);
  const told = [];
  for (const _ of onboardingSteps) told.push(await queue.next());
  expect(told.at(-1)).toEqual({ type: "onboarding_steps", onboarding_steps: [] });
});

test("a hint nobody knows is refused", async () => {
  const realm = await newRealm();

  expect(await realm.admin.call(finishOnboardingStep, { onboarding_step: "dance" })).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Unknown onboarding_step: dance",
  });
});
