/**
 * The plan of an import, which the operator may edit: who becomes whom, which channels are merged into existing ones or left
 * out, and what becomes of messages outside of threads. Whatever it does not mention is done as without a plan.
 */
import { z } from "zod";

export const unthreadedRules = ["month", "day", "single"] as const;
export type UnthreadedRule = (typeof unthreadedRules)[number];

const personPlan = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  /** The account has this address, whatever the export says. */
  email: z.string().optional(),
  account: z.enum(["existing", "new", "inactive"]).optional(),
});

const channelPlan = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  action: z.enum(["new", "merge", "skip"]).optional(),
  /** The existing channel to merge it into. */
  into: z.string().optional(),
});

/** Whether the settings of the organization itself are replaced by those of the export, whatever they are here. */
const organizationPlan = z.strictObject({ settings: z.enum(["take", "keep"]).optional() });

export const planSchema = z.strictObject({
  source: z.string().optional(),
  organization: organizationPlan.optional(),
  threads: z.strictObject({ unthreaded: z.enum(unthreadedRules).optional() }).optional(),
  people: z.array(personPlan).optional(),
  channels: z.array(channelPlan).optional(),
});

export type PlanFile = z.infer<typeof planSchema>;
export type PersonPlan = z.infer<typeof personPlan>;
export type ChannelPlan = z.infer<typeof channelPlan>;

export interface Plan {
  /** Undefined: a new organization takes what nobody has changed in it yet, any other keeps what it has. */
  organizationSettings: "take" | "keep" | undefined;
  unthreaded: UnthreadedRule;
  people: ReadonlyMap<string, PersonPlan>;
  channels: ReadonlyMap<string, ChannelPlan>;
}

export function toPlan({ organization, threads, people = [], channels = [] }: PlanFile): Plan {
  return {
    organizationSettings: organization?.settings,
    unthreaded: threads?.unthreaded ?? "month",
    people: new Map(people.map((person) => [person.id, person])),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
  };
}
