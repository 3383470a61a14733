/**
 * What happened according to the database: the stored messages, their commit order, and the recipients of each.
 *
 * Commit order comes from a replication slot of our own, which no server process knows of: it decodes the write-ahead
 * log from beginning to end once more. (Commit timestamps would not do: PostgreSQL takes them before the commit is
 * written, so two commits may be written in the other order.)
 */
import { sql } from "kysely";
import { writeLsn } from "../server/src/events/log-format.ts";
import type { Db } from "../server/src/platform/db/connect.ts";
import type { QueueKind } from "./readers.ts";
import type { StoredMessage } from "./verdict.ts";

export const witness = "faults_witness";

/** Starts recording the order of commits. */
export async function openWitness(db: Db): Promise<void> {
  await sql`select pg_create_logical_replication_slot(${witness}, 'pgoutput')`.execute(db);
}

/** The messages sent since recording started. */
export async function readStored(db: Db): Promise<StoredMessage[]> {
  const commits = await commitOrder(db);
  const { rows } = await sql<{ id: number; text: string; xid: number }>`
    select id, content as text, xmin::text::bigint as xid from messages`.execute(db);
  return rows.flatMap(({ id, text, xid }) => {
    const commit = commits.get(xid);
    return commit === undefined ? [] : [{ id, text, ...commit }];
  });
}

/** The texts of all messages, by id. */
export async function readMessages(db: Db): Promise<Map<number, string>> {
  const rows = await db.selectFrom("messages").select(["id", "content"]).execute();
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** The epochs in which these queues were registered, without queues that the database does not know. */
export async function readEpochs(db: Db, queueIds: readonly string[]): Promise<Map<string, number>> {
  if (queueIds.length === 0) return new Map();
  const rows = await db.selectFrom("event_queues").select(["id", "epoch"]).where("id", "in", queueIds).execute();
  return new Map(rows.map(({ id, epoch }) => [id, epoch]));
}

/** The epoch of the event log. */
export async function readEpoch(db: Db): Promise<number> {
  return (await db.selectFrom("event_log").select("epoch").executeTakeFirstOrThrow()).epoch;
}

/** For each transaction that emitted an event: how many committed before it, and its position. */
async function commitOrder(db: Db): Promise<Map<number, { commit: number; lsn: string }>> {
  // A message of type C has the position of the commit after its type and its flags.
  const { rows } = await sql<{ xid: number; lsn: string }>`
    select xid::text::bigint as xid, encode(substring(data from 3 for 8), 'hex') as lsn
    from pg_logical_slot_peek_binary_changes(${witness}, null, null,
      'proto_version', '1', 'publication_names', 'skein', 'messages', 'true') with ordinality as change (lsn, xid, data, n)
    where get_byte(data, 0) = ascii('C')
    order by n`.execute(db);
  return new Map(rows.map(({ xid, lsn }, commit) => [xid, { commit, lsn: writeLsn(BigInt(`0x${lsn}`)) }]));
}

/** The messages that a queue must receive: those for its user that its registration did not include. */
export async function readExpected(db: Db, queueId: string, kind: QueueKind): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id
    from event_queues q
      join messages m on not pg_visible_in_snapshot(m.xmin::text::xid8, q.snapshot::pg_snapshot)
      left join channels c on c.id = m.conversation_id
      left join subscriptions s on s.user_id = q.user_id and s.channel_id = m.conversation_id
      left join participations p on p.user_id = q.user_id and p.conversation_id = m.conversation_id
    where q.id = ${queueId}
      and (p.user_id is not null or m.id <@ s.received or (${kind.allPublic || kind.narrow !== undefined} and not c.invite_only))
      and (${kind.narrow ?? null}::text is null or c.name = ${kind.narrow ?? null})`.execute(db);
  return rows.map(({ id }) => id);
}
