/** A message that something is about to happen to: an edit, a reaction, a vote. */
import { sql, type RawBuilder } from "kysely";
import type { Audience } from "../../events/audience.ts";
import type { User } from "../../http/sessions.ts";
import { Conflict } from "../../platform/db/conflicts.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { sharedChannelLock } from "../channels/lock.ts";
import { invalidMessages, isChangeable, readerJoins } from "./access.ts";

export interface MessageRow {
  id: number;
  realm_id: number;
  conversation_id: number;
  /** Null for a direct message. */
  channel_name: string | null;
  topic_id: number | null;
  topic: string | null;
  origin_id: number | null;
  entered_at: number | null;
  sender_id: number;
  content: string;
  rendered_content: string;
  mentions_channel: boolean;
  age_seconds: number;
}

/** Nobody else changes it, moves it, or is subscribed or unsubscribed where it stands, until the transaction ends. */
export interface MessageInHand {
  message: MessageRow;
  /** The newest id when it was locked. */
  at: number;
  /** Who hears of what happens to it. */
  audience: Audience;
}

/** What is known of a message before it is locked; until it is, all of this can change. */
export type SeenMessage = Pick<MessageRow, "conversation_id" | "topic" | "age_seconds">;

/** Locks the conversation, and gives an id that is newer than all in it. */
type Lock = (tx: Tx, seen: SeenMessage) => Promise<number>;

/** The message, for a user who may read it in a place where something can still happen to it. */
export async function accessMessageForChange(
  tx: Tx,
  user: User,
  id: number,
  lock: Lock = lockConversation,
): Promise<MessageInHand> {
  const reader = { id: String(user.id), rank: String(user.rank) }; // numbers of our own, which may stand in the text
  const inHand = await takeInHand(tx, user.realm_id, id, {
    joins: sql.raw(readerJoins(reader)),
    isAllowed: sql.raw(isChangeable(reader)),
    lock,
  });
  if (!inHand) throw invalidMessages();
  return inHand;
}

/** Without a question of who asks: for what the server itself does. */
export const findMessageForChange = (tx: Tx, realmId: number, id: number): Promise<MessageInHand | undefined> =>
  takeInHand(tx, realmId, id, {
    joins: sql`left join channels c on c.id = m.conversation_id`,
    isAllowed: sql`true`,
    lock: lockConversation,
  });

interface Condition {
  /** Joins a channel as `c`. */
  joins: RawBuilder<unknown>;
  isAllowed: RawBuilder<boolean>;
  lock: Lock;
}

/**
 * The channel's lock comes before the message's, so which channel it is may have changed when both are held. Then it
 * begins anew: channels are locked in ascending order, and the right one may come before those held already.
 */
async function takeInHand(
  tx: Tx,
  realmId: number,
  id: number,
  condition: Condition,
): Promise<MessageInHand | undefined> {
  const seen = await findMessage(tx, realmId, id, condition);
  if (seen === undefined) return undefined;
  const at = await condition.lock(tx, seen);
  const row = await lockMessage(tx, realmId, id, condition);
  if (row && row.conversation_id !== seen.conversation_id)
    throw new Conflict("the message went to another channel meanwhile");
  return row && { message: row, at, audience: audienceOf(row, at) };
}

const isIt = (realmId: number, id: number, { isAllowed }: Condition) =>
  sql`m.id = ${id} and m.realm_id = ${realmId} and ${isAllowed}`;

const ageSeconds = sql`extract(epoch from now() - m.date_sent)::float8`;

async function findMessage(tx: Tx, realmId: number, id: number, condition: Condition) {
  const { rows } = await sql<SeenMessage>`
    select m.conversation_id, t.name as topic, ${ageSeconds} as age_seconds
    from messages m ${condition.joins} left join topics t on t.id = m.topic_id
    where ${isIt(realmId, id, condition)}`.execute(tx);
  return rows[0];
}

/** The id is taken when the lock is there: see channels/lock.ts. */
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
    select m.id, m.realm_id, m.conversation_id, c.name as channel_name, m.topic_id, t.name as topic, m.origin_id,
      m.entered_at, m.sender_id, m.content, m.rendered_content, m.mentions_channel,
      ${ageSeconds} as age_seconds, c.invite_only, c.history_public_to_subscribers,
      case when c.id is null then (
        select array_agg(user_id order by user_id) from participations
        where conversation_id = m.conversation_id) end as parties
    from messages m ${condition.joins} left join topics t on t.id = m.topic_id
    where ${isIt(realmId, id, condition)} for no key update of m`.execute(tx);
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
