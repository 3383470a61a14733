import { maxListedChanges, type syncIdentityProvider } from "@skein/api/identity-providers.ts";
import type { ReturnsOf } from "@skein/api/endpoint.ts";
import { ApiError } from "../../../../errors.ts";
import type { Realm } from "../../../../identity/account.ts";
import { ProviderProblem } from "../../identity-providers/provider-problem.ts";
import type { ProviderRow } from "../../identity-providers/queries.ts";
import { makePlan, type Plan, type PlanContext } from "./plan.ts";

type Preview = NonNullable<ReturnsOf<typeof syncIdentityProvider>["plan"]>;

/** Shorter than proxies wait for a response. */
const milliseconds = 45_000;

/** What a sync would change. */
export async function previewSync(ctx: PlanContext, realm: Realm, row: ProviderRow): Promise<Preview> {
  const until = performance.now() + milliseconds;
  const proceed = async () => {
    if (performance.now() > until)
      throw new ProviderProblem("the directory is too large for this: run `skein ldap sync --dry-run` on the server");
  };
  try {
    return toPreview(await makePlan(ctx, realm, row, { proceed }));
  } catch (error) {
    if (error instanceof ProviderProblem)
      throw new ApiError(`The directory failed: ${error.message}.`, { status: 502 });
    throw error;
  }
}

export function toPreview({ people, accounts, plans, deactivations, refusal }: Plan): Preview {
  const changes = plans.flatMap((plan) => plan.changes);
  return {
    people,
    accounts,
    change_count: changes.length,
    deactivations,
    changes: changes.slice(0, maxListedChanges),
    problem: refusal ?? null,
  };
}
