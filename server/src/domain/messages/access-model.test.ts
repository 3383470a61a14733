/**
 * Checks access with random organizations: for every user and every message, what can be reached in any way is exactly
 * what the plain rule allows (test/access/rule.ts). ACCESS_ORGANIZATIONS=20000 runs for longer, ACCESS_SEED=… repeats a
 * run.
 */
import { expect, test } from "vitest";
import { Organization } from "../../../test/access/organization.ts";
import { plan, type Plan, type Step } from "../../../test/access/plan.ts";
import { take } from "../../../test/access/steps.ts";
import { compareReceivedEvents } from "../../../test/access/received-events.ts";
import { compare } from "../../../test/access/ways.ts";
import { assertAtOnce } from "../../../test/assert-at-once.ts";
import { nodes } from "../../../test/nodes.ts";

const organizations = Number(process.env["ACCESS_ORGANIZATIONS"] ?? 150);
/** Mostly for shrinking a failure. */
const seconds = Math.max(300, organizations);
const seed = Number(process.env["ACCESS_SEED"] ?? Date.now() % 2 ** 31);

test(`users can reach exactly the messages the rule allows (seed ${seed})`, { timeout: seconds * 1000 }, async () => {
  const [{ ctx }] = await nodes();

  const hold = async (drawn: Plan) => {
    const organization = await Organization.make(ctx, drawn);
    const differences = [];
    for (const step of drawn.steps) differences.push(...(await take(organization, step)));
    differences.push(...(await compare(organization, drawn.looks)));
    expect(differences).toEqual([]);
  };

  await assertAtOnce(plan, hold, { seed, numRuns: organizations, lanes: 4, seconds: 0.9 * seconds });
});

/** This many of them, with a queue for every user. */
const followed = Math.ceil(organizations / 6);

test(
  `users receive events exactly for the messages they may read (seed ${seed})`,
  { timeout: seconds * 1000 },
  async () => {
    const [{ ctx }] = await nodes();

    // Deactivated users receive nothing at all, which the tests of sessions show.
    const emitsEvents = (step: Step) => step.kind !== "close or open account";
    const hold = async (drawn: Plan) => {
      const organization = await Organization.make(ctx, drawn);
      expect(await compareReceivedEvents(organization, drawn.steps.filter(emitsEvents))).toEqual([]);
    };

    await assertAtOnce(plan, hold, { seed, numRuns: followed, lanes: 2, seconds: 0.9 * seconds });
  },
);
