/**
 * A random organization as plain data: users, channels, history and steps. Users, channels and messages are referred to by
 * numbers that are valid in any organization (modulo the count), so that fast-check can remove parts and the rest stays
 * valid.
 */
import fc from "fast-check";

export const kinds = ["web-public", "public", "private", "protected"] as const;
export type Kind = (typeof kinds)[number];

export type PlannedRole = 100 | 200 | 300 | 400 | 600;

export interface Plan {
  /** Roles of all users except the owner, who comes first. */
  roles: PlannedRole[];
  /** Guests see only users with whom they share a channel or a conversation. */
  hidesPeople: boolean;
  channels: {
    kind: Kind;
    /** Members of the group that grants access. */
    holders: number[];
    /** The permission that the group holds. */
    permission: "can_add_subscribers_group" | "can_subscribe_group";
  }[];
  /** The owners of uploaded files. */
  files: number[];
  past: Happening[];
  steps: Step[];
  /** Decides which of the expensive checks run. */
  looks: number;
}

/** The history, which is inserted directly into the database. */
export type Happening =
  | { kind: "come or go"; person: number; channel: number }
  | { kind: "send"; person: number; channel: number; topic: number; file: number | null }
  | { kind: "write"; person: number; to: number[]; file: number | null }
  | { kind: "move"; message: number; channel: number };

/** Steps that go through the server. */
export type Step =
  | { kind: "come or go"; person: number; channel: number }
  | { kind: "send"; person: number; channel: number; topic: number; file: number | null }
  | { kind: "edit"; message: number }
  | {
      kind: "move";
      person: number;
      message: number;
      channel: number;
      topic: number;
      mode: "change_one" | "change_later" | "change_all";
    }
  | { kind: "delete"; person: number; message: number }
  | { kind: "delete topic"; person: number; channel: number; topic: number }
  | { kind: "star"; person: number; message: number }
  | { kind: "role"; person: number; role: PlannedRole }
  | { kind: "close or open account"; person: number }
  | { kind: "group"; person: number; channel: number }
  | { kind: "privacy"; channel: number; privacy: Kind }
  | { kind: "archive or reopen"; channel: number };

export const topics = ["talk", "other"] as const;

const number = fc.nat({ max: 30 });
const role = fc.constantFrom<PlannedRole[]>(400, 600, 300, 200, 100);
const file = fc.option(number, { freq: 3 });
const be = <K extends string>(kind: K) => fc.constant(kind);

const past: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: be("come or go"), person: number, channel: number }) },
  { weight: 3, arbitrary: fc.record({ kind: be("send"), person: number, channel: number, topic: number, file }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: be("write"), person: number, to: fc.array(number, { maxLength: 2 }), file }),
  },
  { weight: 1, arbitrary: fc.record({ kind: be("move"), message: number, channel: number }) },
);

const mode = fc.constantFrom("change_one" as const, "change_later" as const, "change_all" as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: be("come or go"), person: number, channel: number }) },
  { weight: 2, arbitrary: fc.record({ kind: be("send"), person: number, channel: number, topic: number, file }) },
  { weight: 3, arbitrary: fc.record({ kind: be("edit"), message: number }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: be("move"), person: number, message: number, channel: number, topic: number, mode }),
  },
  { weight: 1, arbitrary: fc.record({ kind: be("delete"), person: number, message: number }) },
  { weight: 2, arbitrary: fc.record({ kind: be("delete topic"), person: number, channel: number, topic: number }) },
  { weight: 1, arbitrary: fc.record({ kind: be("star"), person: number, message: number }) },
  { weight: 2, arbitrary: fc.record({ kind: be("role"), person: number, role }) },
  { weight: 1, arbitrary: fc.record({ kind: be("close or open account"), person: number }) },
  { weight: 2, arbitrary: fc.record({ kind: be("group"), person: number, channel: number }) },
  { weight: 2, arbitrary: fc.record({ kind: be("privacy"), channel: number, privacy: fc.constantFrom(...kinds) }) },
  { weight: 1, arbitrary: fc.record({ kind: be("archive or reopen"), channel: number }) },
);

/** Large sizes, to cover many combinations; fast-check removes what is irrelevant to a failure. */
const many = { size: "max" } as const;

export const plan: fc.Arbitrary<Plan> = fc.record({
  roles: fc.array(role, { minLength: 1, maxLength: 4, ...many }),
  hidesPeople: fc.boolean(),
  channels: fc.array(
    fc.record({
      kind: fc.oneof(fc.constantFrom(...kinds), fc.constant("protected" as const)),
      holders: fc.array(number, { maxLength: 2 }),
      permission: fc.constantFrom("can_add_subscribers_group" as const, "can_subscribe_group" as const),
    }),
    { minLength: 1, maxLength: 3, ...many },
  ),
  files: fc.array(number, { maxLength: 2, ...many }),
  past: fc.array(past, { maxLength: 40, ...many }),
  steps: fc.array(step, { maxLength: 16, ...many }),
  looks: fc.noShrink(fc.nat()),
});
