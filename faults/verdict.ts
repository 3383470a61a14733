/**
 * Checks a run by its history alone: the responses to senders, the content of the database, and the events of each queue. It
 * does not depend on how the history came about.
 */

export interface StoredMessage {
  id: number;
  text: string;
  /** Its position in commit order: the number of transactions that committed before its own. */
  commit: number;
  /** Its position in the write-ahead log, which entries of the event log carry as well. */
  lsn: string;
}

export interface AcknowledgedMessage {
  id: number;
  text: string;
}

export interface Delivery {
  eventId: number;
  messageId: number;
}

export interface QueueHistory {
  name: string;
  /** Every message committed since its registration that its user receives. */
  expected: readonly number[];
  /** In order of arrival. */
  deliveries: readonly Delivery[];
  /** It expired with its log: the newest messages may be missing, but there may be no gap before. */
  isExpired: boolean;
  /** Responses that no reader should ever get. */
  complaints: readonly string[];
}

export interface History {
  stored: readonly StoredMessage[];
  acknowledged: readonly AcknowledgedMessage[];
  /** The delivered text of each message. */
  deliveredTexts: ReadonlyMap<number, string>;
  queues: readonly QueueHistory[];
}

export type Rule = "stored once" | "delivered once" | "commit order" | "no new registration";

export interface Finding {
  rule: Rule;
  /** The subject: a queue's name, or "messages". */
  about: string;
  text: string;
}

export function judge(history: History): Finding[] {
  const stored = new Map(history.stored.map((message) => [message.id, message]));
  return [
    ...judgeStored(history, stored),
    ...judgeTexts(history.deliveredTexts, new Map(history.stored.map(({ id, text }) => [id, text]))),
    ...history.queues.flatMap((queue) => [
      ...queue.complaints.map((text) => finding("no new registration", queue, text)),
      ...judgeDeliveries(queue, stored),
      ...judgeOrder(queue, stored),
    ]),
  ];
}

type Stored = ReadonlyMap<number, StoredMessage>;

const finding = (rule: Rule, queue: QueueHistory, text: string): Finding => ({ rule, about: queue.name, text });

function judgeStored({ stored: messages, acknowledged }: History, stored: Stored): Finding[] {
  const findings: Finding[] = [];
  const say = (text: string) => findings.push({ rule: "stored once", about: "messages", text });
  for (const { id, text } of acknowledged) {
    const found = stored.get(id);
    if (!found) say(`message ${id} was acknowledged and is not stored: ${text}`);
    else if (found.text !== text) say(`message ${id} was acknowledged as "${text}" and is stored as "${found.text}"`);
  }
  for (const [text, same] of Map.groupBy(messages, (message) => message.text))
    if (same.length > 1) say(`"${text}" is stored ${same.length} times: ${same.map(({ id }) => id).join(", ")}`);
  return findings;
}

/** Both by message id. Another rule covers messages that are not stored. */
export function judgeTexts(delivered: ReadonlyMap<number, string>, stored: ReadonlyMap<number, string>): Finding[] {
  return [...delivered].flatMap(([id, text]): Finding[] => {
    const found = stored.get(id);
    if (found === undefined || found === text) return [];
    return [{ rule: "delivered once", about: "messages", text: `message ${id} was delivered as "${text}"` }];
  });
}

function judgeDeliveries(queue: QueueHistory, stored: Stored): Finding[] {
  const { deliveries } = queue;
  const seen = new Set(deliveries.map((delivery) => delivery.messageId));
  const newest = Math.max(-1, ...positions(seen, stored));
  const due = queue.isExpired
    ? queue.expected.filter((id) => (stored.get(id)?.commit ?? Infinity) <= newest)
    : queue.expected;
  const missing = due.filter((id) => !seen.has(id));
  const expected = new Set(queue.expected);
  const foreign = [...seen].filter((id) => !expected.has(id));
  const repeated = [...Map.groupBy(deliveries, (delivery) => delivery.messageId)].filter(([, same]) => same.length > 1);
  return [
    ...(missing.length > 0
      ? [finding("delivered once", queue, `${missing.length} of ${due.length} missing: ${list(missing, stored)}`)]
      : []),
    ...(foreign.length > 0
      ? [finding("delivered once", queue, `${foreign.length} unexpected: ${list(foreign, stored)}`)]
      : []),
    ...repeated.map(([id, same]) =>
      finding(
        "delivered once",
        queue,
        `message ${id} came ${same.length} times, as events ${same.map(({ eventId }) => eventId).join(", ")}`,
      ),
    ),
  ];
}

/** Commit order is the same for all queues, so all queues agree. */
function judgeOrder(queue: QueueHistory, stored: Stored): Finding[] {
  const findings: Finding[] = [];
  let last: Delivery | undefined;
  for (const delivery of queue.deliveries) {
    if (last && delivery.eventId <= last.eventId)
      findings.push(finding("commit order", queue, `event ${delivery.eventId} came after event ${last.eventId}`));
    if (last && isBefore(stored.get(delivery.messageId), stored.get(last.messageId)))
      findings.push(
        finding(
          "commit order",
          queue,
          `${list([delivery.messageId], stored)} came after ${list([last.messageId], stored)}`,
        ),
      );
    last = delivery;
  }
  return findings;
}

/** Messages of one transaction are in the order of their ids. */
function isBefore(one: StoredMessage | undefined, other: StoredMessage | undefined): boolean {
  if (!one || !other) return false;
  return one.commit < other.commit || (one.commit === other.commit && one.id < other.id);
}

const positions = (ids: Iterable<number>, stored: Stored): number[] =>
  [...ids].flatMap((id) => stored.get(id)?.commit ?? []);

const shown = 10;

function list(ids: readonly number[], stored: Stored): string {
  const texts = ids.slice(0, shown).map((id) => {
    const found = stored.get(id);
    return found ? `${id} (commit ${found.commit} at ${found.lsn})` : `${id} (not stored)`;
  });
  return ids.length > shown ? `${texts.join(", ")} and ${ids.length - shown} more` : texts.join(", ");
}
