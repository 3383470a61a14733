/**
 * Direct conversations of the merged account become conversations of the other. If the same people already have one, the
 * messages move there, in batches; each batch carries everybody's read state along. A conversation between the two
 * accounts becomes the person's notes to themselves.
 *
 * Nobody can write to a conversation with a deactivated account, and a merge waits for those who were about to. So all
 * messages of these conversations exist, and everything with a smaller id, too.
 */
import { sql } from "kysely";
import { Conflict } from "../../../platform/db/conflicts.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { directKey } from "../../messages/send/recipients.ts";
import { merged, type Pair } from "./pair.ts";

/** Those that are left. */
export async function listConversations(tx: Tx, { from }: Pair): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select conversation_id as id from participations where user_id = ${from.id} order by conversation_id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Returns whether the conversation is done; if not, some of its messages have moved. */
export async function mergeConversation(tx: Tx, pair: Pair, id: number, limit: number): Promise<boolean> {
  const { rows: parties } = await sql<{ user_id: number }>`
    select user_id from participations where conversation_id = ${id} order by user_id for update`.execute(tx);
  if (!parties.some(({ user_id }) => user_id === pair.from.id)) return true; // by another process
  const people = merged(
    parties.map(({ user_id }) => user_id),
    pair,
  ).toSorted((a, b) => a - b);
  const key = directKey(people);
  const { rows } = await sql<{ id: number }>`
    select id from conversations where realm_id = ${pair.realmId} and direct_key = ${key}`.execute(tx);
  const [same] = rows;
  if (same) return moveMessages(tx, pair, id, same.id, limit);
  await changeParties(tx, pair, id, { key, isGroup: people.length > 2 });
  return true;
}

async function changeParties(
  tx: Tx,
  { realmId, from, into }: Pair,
  id: number,
  { key, isGroup }: { key: string; isGroup: boolean },
): Promise<void> {
  await sql`update conversations set direct_key = ${key}, is_group = ${isGroup} where id = ${id}`
    .execute(tx)
    .catch((error: unknown) => {
      // Somebody has just begun this conversation.
      if (error instanceof Error && "code" in error && error.code === "23505") throw new Conflict();
      throw error;
    });
  // Both have received all of it. As for channels: read if either had read it.
  await sql`
    insert into participations as p (user_id, conversation_id, realm_id, read)
    select ${into.id}, ${id}, ${realmId}, read from participations where user_id = ${from.id} and conversation_id = ${id}
    on conflict (user_id, conversation_id) do update set read = p.read + excluded.read`.execute(tx);
  await sql`delete from participations where user_id = ${from.id} and conversation_id = ${id}`.execute(tx);
}

/**
 * Both conversations may contain any ids in their `read` that do not belong to an unread message of theirs. So between the
 * first and the last message that move, exactly the unread messages of both are left out.
 */
async function moveMessages(tx: Tx, { from, into }: Pair, id: number, target: number, limit: number): Promise<boolean> {
  await sql`select from participations where conversation_id = ${target} order by user_id for update`.execute(tx);
  const { rows } = await sql<{ id: number }>`
    select id from messages where conversation_id = ${id} order by id limit ${limit} for update`.execute(tx);
  const ids = rows.map((row) => row.id);
  const [first, last] = [ids[0], ids.at(-1)];
  if (first !== undefined && last !== undefined) {
    await sql`
      update participations p set read = p.read + int8multirange(int8range(${first}, ${last}, '[]')) - coalesce((
          select range_agg(int8range(m.id, m.id + 1)) from messages m
          where m.conversation_id = ${target} and m.id between ${first} and ${last} and not m.id <@ p.read), '{}')
        - coalesce((select range_agg(int8range(m, m + 1)) from unnest(${ids}::bigint[]) as m where not m <@ source.read), '{}')
      from (
        select case when user_id = ${from.id} then ${into.id} else user_id end as user_id, range_agg(stretch) as read
        from participations left join lateral unnest(read) as stretch on true where conversation_id = ${id} group by 1
      ) as had, lateral (select coalesce(had.read, '{}') as read) as source
      where p.conversation_id = ${target} and p.user_id = had.user_id`.execute(tx);
    await sql`update messages set conversation_id = ${target} where id = any(${ids}::bigint[])`.execute(tx);
  }
  if (ids.length === limit) return false;
  await sql`update deleted_messages set message = jsonb_set(message, '{conversation_id}', to_jsonb(${target}::bigint))
    where realm_id = (select realm_id from conversations where id = ${id})
      and (message->>'conversation_id')::bigint = ${id}`.execute(tx);
  await sql`update conversations c set newest_deleted_id = greatest(c.newest_deleted_id, gone.newest_deleted_id)
    from conversations gone where c.id = ${target} and gone.id = ${id}`.execute(tx);
  await sql`delete from participations where conversation_id = ${id}`.execute(tx);
  await sql`delete from conversations where id = ${id}`.execute(tx);
  return true;
}
