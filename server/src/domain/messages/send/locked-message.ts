/** A message that is about to be changed by an edit, a reaction or a vote: found, checked and locked. */
import { sql, type RawBuilder } from "kysely";
import type { Audience } from "../../../events/audience.ts";
import type { User } from "../../../identity/account.ts";
import { Conflict } from "../../../platform/db/conflicts.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { sharedChannelLock } from "../../channels/lock.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { invalidMessages, isChangeable, readerJoins } from "../access.ts";

export interface MessageRow {
  id: number;
  realm_id: number;
  conversation_id: number;
  /** Null for a direct message. */
  channel_name: string | null;
  topic_id: number | null;
  /** As the message shows it. */
  topic: string | null;
  origin_id: number | null;
  entered_at: number | null;
  sender_id: number;
  content: string;
  rendered_content: string;
  mentions_channel: boolean;
  age_seconds: number;
}

/** Until the transaction ends, nobody else can edit or move the message, or change who is subscribed to its channel. */
export interface LockedMessage {
  message: MessageRow;
  /** The newest message id when the lock was taken. */
  at: number;
  /** Who receives events about the message. */
  audience: Audience;
}

/** What is known of a message before it is locked; all of it may change until then. */
export type SeenMessage = Pick<MessageRow, "conversation_id" | "topic" | "age_seconds">;

/** Locks the conversation and returns an id newer than all in it. */
type Lock = (tx: Tx, seen: SeenMessage) => Promise<number>;

/** The message, for a user who may read it in a conversation that can still change. */
export async function accessMessageForChange(
  tx: Tx,
  user: User,
  id: number,
  lock: Lock = lockConversation,
): Promise<LockedMessage> {
  const reader = { id: String(user.id), rank: String(user.rank) }; // our own numbers, safe to put into the SQL text
  const locked = await lockMessageAndConversation(tx, user.realm_id, id, {
    joins: sql.raw(readerJoins(reader)),
    isAllowed: sql.raw(isChangeable(reader)),
    lock,
  });
  if (!locked) throw invalidMessages();
  return locked;
}

/** Without an access check: for changes the server itself makes. */
export const findMessageForChange = (tx: Tx, realmId: number, id: number): Promise<LockedMessage | undefined> =>
  lockMessageAndConversation(tx, realmId, id, {
    joins: sql`left join channels c on c.id = m.conversation_id`,
    isAllowed: sql`true`,
    lock: lockConversation,
  });

interface Condition {
  /** Must join the channel as `c`. */
  joins: RawBuilder<unknown>;
  isAllowed: RawBuilder<boolean>;
  lock: Lock;
}

/**
 * The channel is locked before the message, so the message may have moved to another channel by the time both locks are
 * held. Then the transaction starts over: channels are locked in ascending order, and the right one may come before
 * those already held.
 */
async function lockMessageAndConversation(
  tx: Tx,
  realmId: number,
  id: number,
  condition: Condition,
): Promise<LockedMessage | undefined> {
  const seen = await findMessage(tx, realmId, id, condition);
  if (seen === undefined) return undefined;
  const at = await condition.lock(tx, seen);
  const row = await lockMessage(tx, realmId, id, condition);
  if (row && row.conversation_id !== seen.conversation_id)
    throw new Conflict("the message was moved to another channel while waiting for the lock");
  return row && { message: row, at, audience: audienceOf(row, at) };
}

const isTarget = (realmId: number, id: number, { isAllowed }: Condition) =>
  sql`m.id = ${id} and m.realm_id = ${realmId} and ${isAllowed}`;

const ageSeconds = sql`extract(epoch from now() - m.date_sent)::float8`;

async function findMessage(tx: Tx, realmId: number, id: number, condition: Condition) {
  const { rows } = await sql<SeenMessage>`
    select m.conversation_id, ${sql.raw(spelledTopic)} as topic, ${ageSeconds} as age_seconds
    from messages m ${condition.joins} left join topics t on t.id = m.topic_id
    where ${isTarget(realmId, id, condition)}`.execute(tx);
  return rows[0];
}

/** The id is taken once the lock is held: see channels/lock.ts. */
async function lockConversation(tx: Tx, { conversation_id }: SeenMessage): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    with locked as materialized (
      select ${sql.raw(sharedChannelLock("given.id"))} from (values (${conversation_id}::bigint)) as given (id))
    select nextval('messages_id_seq') as at from locked`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error("unreachable: `locked` has one row");
  return row.at;
}

type LockedRow = MessageRow & {
  invite_only: boolean | null;
  history_public_to_subscribers: boolean | null;
  parties: number[] | null;
};

async function lockMessage(tx: Tx, realmId: number, id: number, condition: Condition): Promise<LockedRow | undefined> {
  const { rows } = await sql<LockedRow>`
    select m.id, m.realm_id, m.conversation_id, c.name as channel_name, m.topic_id, ${sql.raw(spelledTopic)} as topic,
      m.origin_id, m.entered_at, m.sender_id, m.content, m.rendered_content, m.mentions_channel,
      ${ageSeconds} as age_seconds, c.invite_only, c.history_public_to_subscribers,
      case when c.id is null then (
        select array_agg(user_id order by user_id) from participations
        where conversation_id = m.conversation_id) end as parties
    from messages m ${condition.joins} left join topics t on t.id = m.topic_id
    where ${isTarget(realmId, id, condition)} for no key update of m`.execute(tx);
  return rows[0];
}

function audienceOf(row: LockedRow, at: number): Audience {
  if (row.parties !== null) return { users: row.parties };
  const { id, conversation_id: channel, origin_id: origin, entered_at: entered } = row;
  const shared = row.invite_only === true ? "shared" : "public";
  const history = row.history_public_to_subscribers === true ? shared : "protected";
  const moved = entered === null ? {} : { moved: { origin: origin ?? channel, entered } };
  return { message: { id, channel, at, history, ...moved } };
}
