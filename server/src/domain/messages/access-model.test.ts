/**
 * Nobody sees what they may not: random organizations, and for every user in them and every message, what can be reached
 * in any way is what the plain rule says (test/access/rule.ts). ACCESS_ORGANIZATIONS=20000 runs for longer,
 * ACCESS_SEED=… sees a run again.
 */
import { expect, test } from "vitest";
import { Organization } from "../../../test/access/organization.ts";
import { plan, type Plan, type Step } from "../../../test/access/plan.ts";
import { take } from "../../../test/access/steps.ts";
import { compareTold } from "../../../test/access/told.ts";
import { compare } from "../../../test/access/ways.ts";
import { assertAtOnce } from "../../../test/assert-at-once.ts";
import { nodes } from "../../../test/nodes.ts";

const organizations = Number(process.env["ACCESS_ORGANIZATIONS"] ?? 500);
/** Mostly for making a failure smaller. */
const seconds = Math.max(300, organizations);
const seed = Number(process.env["ACCESS_SEED"] ?? Date.now() % 2 ** 31);

test(`what can be reached is what the rule says (seed ${seed})`, { timeout: seconds * 1000 }, async () => {
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

/** So many of them, with everybody following by a queue. */
const followed = Math.ceil(organizations / 6);

test(`what is told is what may be read (seed ${seed})`, { timeout: seconds * 1000 }, async () => {
  const [{ ctx }] = await nodes();

  // Who is closed hears nothing at all, which is shown where sessions are.
  const isHeard = (step: Step) => step.kind !== "close or open account";
  const hold = async (drawn: Plan) => {
    const organization = await Organization.make(ctx, drawn);
    expect(await compareTold(organization, drawn.steps.filter(isHeard))).toEqual([]);
  };

  await assertAtOnce(plan, hold, { seed, numRuns: followed, lanes: 2, seconds: 0.9 * seconds });
});
