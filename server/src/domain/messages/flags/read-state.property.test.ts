import fc from "fast-check";
import { test } from "vitest";
import { assertAtOnce } from "../../../../test/assert-at-once.ts";
import {
  channelsInHistory,
  peopleInHistory,
  ReadStateHistory,
  type Step,
} from "../../../../test/read-state-history.ts";
import { newRealm } from "../../../../test/realm.ts";

/** READ_STATE_HISTORIES=50000 runs for longer. */
const histories = Number(process.env["READ_STATE_HISTORIES"] ?? 400);
/** This many at a time, each with its own people and channels. */
const lanes = 8;
/** Mostly for shrinking a failure. */
const seconds = Math.max(300, histories / 2);
/** Set it to repeat a run. */
const seed = Number(process.env["READ_STATE_SEED"] ?? Date.now() % 2 ** 31);

const person = fc.nat({ max: peopleInHistory - 1 });
const channel = fc.nat({ max: channelsInHistory - 1 });
/** Few at once: one invisible message makes the server refuse the whole call. */
const picks = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 });
const topic = fc.constantFrom("", "weather");
const to = fc.uniqueArray(person, { minLength: 1, maxLength: peopleInHistory });
const readBySender = fc.boolean();
const kind = <K extends Step["kind"]>(value: K) => fc.constant(value);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: kind("subscribe"), person, channel }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("unsubscribe"), person, channel }) },
  { weight: 7, arbitrary: fc.record({ kind: kind("send"), person, channel, topic, readBySender }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("write"), person, to, readBySender }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("read"), person, picks, merging: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("unread"), person, picks }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind("move"),
      person,
      pick: fc.nat({ max: 12 }),
      channel,
      topic,
      isWhole: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind("mute"), person, other: person }) },
);

test(
  `ranges give the same read state as one row per reader and message (seed ${seed})`,
  { timeout: seconds * 1000 },
  async () => {
    const { ctx, id } = await newRealm();
    const realm = await ctx.db.selectFrom("realms").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

    const hold = async (steps: Step[]) => {
      const lived = await ReadStateHistory.begin(ctx, realm);
      for (const next of steps) await lived.take(next);
      await lived.check();
    };
    const history = fc.array(step, { maxLength: 20, size: "max" });
    await assertAtOnce(history, hold, { seed, numRuns: histories, lanes, seconds: 0.9 * seconds });
  },
);
