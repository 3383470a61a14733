/**
 * Checks a run in which one history was replaced by another: each by the rules for any history, and the transition.
 */
import {
  judge,
  judgeTexts,
  type AcknowledgedMessage,
  type Delivery,
  type Finding,
  type QueueHistory,
  type StoredMessage,
} from "./verdict.ts";

export interface TimedMessage extends AcknowledgedMessage {
  sentAt: number;
  acknowledgedAt: number;
}

/** The content of one database. */
export interface Evidence {
  /** Messages committed since the start of the run, in commit order. */
  stored: readonly StoredMessage[];
  /** Texts of all messages by id, including those from a dump. */
  messages: ReadonlyMap<number, string>;
}

export interface ReplacedQueue {
  name: string;
  deliveries: readonly Delivery[];
  /** The delivered text of each message. */
  texts: ReadonlyMap<number, string>;
  /** Whether its client had to register again. */
  isExpired: boolean;
  /** For each history: the epoch of its registration, and the messages it must receive. */
  abandoned: Registered | undefined;
  current: Registered | undefined;
}

export interface Registered {
  epoch: number;
  expected: readonly number[];
}

export interface TwoHistories {
  /** The same as the current one if only the log's position was replaced. */
  abandoned: Evidence;
  current: Evidence;
  /** The period in which either history may have responded. */
  goneAt: number;
  thereAt: number;
  /** Whether the current history has everything. */
  isWhole: boolean;
  /** Whether the log continues; undefined if both are possible. */
  continues: boolean | undefined;
  epochBefore: number;
  epochAfter: number;
  acknowledged: readonly TimedMessage[];
  queues: readonly ReplacedQueue[];
}

export type ReplacementRule = Finding["rule"] | "a new epoch" | "abandoned queues expire";

export interface ReplacementFinding {
  rule: ReplacementRule;
  about: string;
  text: string;
}

export function judgeReplaced(run: TwoHistories): ReplacementFinding[] {
  const { abandoned, current, acknowledged, goneAt, thereAt, isWhole } = run;
  const queues = run.queues.map((queue) => ({ queue, ...belonging(queue, run) }));
  const of = (evidence: Evidence) => queues.filter((queue) => queue.evidence === evidence);
  const judged = [...new Set([abandoned, current])].flatMap((evidence) => [
    ...judge({
      stored: evidence.stored,
      acknowledged: acknowledged.filter((message) =>
        evidence === current ? isWhole || message.sentAt > thereAt : message.acknowledgedAt < goneAt,
      ),
      deliveredTexts: new Map(),
      queues: of(evidence).map(({ history }) => history),
    }),
    ...of(evidence).flatMap(({ queue }) =>
      judgeTexts(queue.texts, evidence.messages).map((finding) => ({ ...finding, about: queue.name })),
    ),
  ]);
  return [...judged, ...judgeBetween(run), ...judgeEpoch(run), ...queues.flatMap(({ findings }) => findings)];
}

/** The history that applies to a queue, and whether the queue had to expire. */
function belonging(
  queue: ReplacedQueue,
  { abandoned, current, epochAfter }: TwoHistories,
): { evidence: Evidence; history: QueueHistory; findings: ReplacementFinding[] } {
  const { name, deliveries, isExpired } = queue;
  const continues = queue.current?.epoch === epochAfter;
  // The current history may also know a queue of the abandoned one, which got no events of the current one.
  const known = continues ? queue.current : (queue.abandoned ?? queue.current);
  const evidence = known === queue.current ? current : abandoned;
  const say = (rule: ReplacementRule, text: string): ReplacementFinding => ({ rule, about: name, text });
  return {
    evidence,
    history: {
      name,
      deliveries,
      expected: known?.expected ?? [],
      isExpired: !continues,
      complaints: continues && isExpired ? ["the server no longer knew the queue"] : [],
    },
    findings: [
      ...(continues || isExpired ? [] : [say("abandoned queues expire", "its client did not have to register again")]),
      ...(known ? [] : [say("stored once", "it was registered, but neither history has it")]),
    ],
  };
}

/** Every message acknowledged during the replacement must be in one of the histories. */
function judgeBetween({ abandoned, current, acknowledged, goneAt, thereAt }: TwoHistories): ReplacementFinding[] {
  return acknowledged
    .filter(({ acknowledgedAt, sentAt }) => acknowledgedAt >= goneAt && sentAt <= thereAt)
    .filter(({ id, text }) => [abandoned, current].every(({ messages }) => messages.get(id) !== text))
    .map(({ id, text }) => ({
      rule: "stored once",
      about: "messages",
      text: `message ${id} was acknowledged while the history was replaced, but is in neither: ${text}`,
    }));
}

function judgeEpoch({ continues, epochBefore, epochAfter }: TwoHistories): ReplacementFinding[] {
  const allowed =
    continues === undefined ? [epochBefore, epochBefore + 1] : [continues ? epochBefore : epochBefore + 1];
  if (allowed.includes(epochAfter)) return [];
  const text = `epoch ${epochBefore} was followed by epoch ${epochAfter} instead of ${allowed.join(" or ")}`;
  return [{ rule: "a new epoch", about: "the log", text }];
}
