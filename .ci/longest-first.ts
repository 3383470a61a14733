/** The order of test files: the few that take minutes come first, so that no worker is left with one of them at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const longest = [
  // Scans whole tables repeatedly, so it runs while they are small.
  "server/src/http/bad-input.test.ts",
  "server/src/domain/data/imports/run/killed.test.ts",
  "server/src/events/restored.test.ts",
  "server/src/domain/data/cells/move/move.test.ts",
  "server/src/domain/data/imports/run/run.test.ts",
  "server/test/reference/examples.test.ts",
  "server/src/events/streams.test.ts",
  "server/src/main.test.ts",
  "server/src/domain/messages/access-model.test.ts",
  "server/src/domain/messages/flags/read-state.property.test.ts",
  "server/src/events/registration.test.ts",
  "server/src/events/sum.test.ts",
  "server/src/http/revocation.test.ts",
  "server/src/http/round-trips.test.ts",
  "server/src/domain/messages/fetch/fetch-plans.test.ts",
  "server/test/walkthrough.test.ts",
  "server/src/domain/administration/user-groups/channels-in-sight.test.ts",
  "server/src/cli/user/user.test.ts",
  "web/e2e/pictures-settings.test.ts",
  "web/e2e/accessibility.test.ts",
  "web/e2e/pictures.test.ts",
  "web/e2e/settings-live.test.ts",
  "web/e2e/recovery.test.ts",
];

const place = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((file) => moduleId.endsWith(file));
  return at === -1 ? longest.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- this is vitest's own
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
