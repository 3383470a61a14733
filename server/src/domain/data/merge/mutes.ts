/**
 * Mutes by and of the two accounts. Whoever muted one of them has muted the person, and the person has muted whomever one
 * of the accounts muted.
 *
 * A mute also holds ids of messages that are read because of it, and only of its sender's. United ranges would cover
 * messages of the other account, or received by the other account, that are unread: those are taken out, as if they had
 * been marked as unread. So nobody's unread messages change. The rows of the merged account stay until its messages have
 * moved.
 */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { lockSender } from "../../messages/muted-users/lock.ts";
import type { Pair } from "./pair.ts";

interface Mute {
  user_id: number;
  muted_user_id: number;
  muted_at: Date | null;
  silenced: string;
}

const none: Pick<Mute, "muted_at" | "silenced"> = { muted_at: null, silenced: "{}" };

export async function uniteMutes(tx: Tx, pair: Pair): Promise<void> {
  const { from, into, realmId } = pair;
  const both = [from.id, into.id];
  const { rows: senders } = await sql<{ id: number }>`
    select distinct muted_user_id as id from muted_users
    where realm_id = ${realmId} and (user_id = any(${both}::bigint[]) or muted_user_id = any(${both}::bigint[]))
    union select unnest(${both}::bigint[]) order by id`.execute(tx);
  // So that no message of theirs is sent meanwhile, and nobody mutes or unmutes them.
  let until = 0;
  for (const { id } of senders) until = await lockSender(tx, id);
  const { rows } = await sql<Mute>`
    select user_id, muted_user_id, muted_at, silenced::text from muted_users
    where realm_id = ${realmId} and (user_id = any(${both}::bigint[]) or muted_user_id = any(${both}::bigint[]))
      and (muted_at is not null or silenced <> '{}') order by user_id, muted_user_id for update`.execute(tx);
  const others = rows.filter((row) => !(both.includes(row.user_id) && both.includes(row.muted_user_id)));
  const mine = Map.groupBy(
    others.filter(({ user_id }) => both.includes(user_id)),
    ({ muted_user_id }) => muted_user_id,
  );
  for (const [mutedId, mutes] of mine) await uniteBy(tx, pair, mutedId, mutes);
  const ofMe = Map.groupBy(
    others.filter(({ user_id }) => !both.includes(user_id)),
    ({ user_id }) => user_id,
  );
  for (const [userId, mutes] of ofMe) await uniteOf(tx, pair, userId, mutes, until);
  await keepOwnRead(tx, pair);
}

/** What the accounts muted. */
async function uniteBy(tx: Tx, { realmId, from, into }: Pair, mutedId: number, mutes: Mute[]): Promise<void> {
  const lost = mutes.find(({ user_id }) => user_id === from.id) ?? none;
  const own = mutes.find(({ user_id }) => user_id === into.id) ?? none;
  const received = (person: "f" | "i") => `coalesce(m.id <@ ${person}o.received, ${person}p.user_id is not null)`;
  const read = (person: "f" | "i", ranges: string) =>
    sql.raw(`(${received(person)}
      and (m.id <@ '${ranges}'::int8multirange or m.id <@ coalesce(${person}o.read, ${person}p.read)))`);
  // Received by one of the accounts, and read by none that received it.
  const { rows } = await sql<{ ids: string }>`
    select coalesce(range_agg(int8range(m.id, m.id + 1)), '{}')::text as ids from messages m
      left join subscriptions fo on fo.user_id = ${from.id} and fo.channel_id = coalesce(m.origin_id, m.conversation_id)
      left join participations fp on fp.user_id = ${from.id} and fp.conversation_id = m.conversation_id
      left join subscriptions io on io.user_id = ${into.id} and io.channel_id = coalesce(m.origin_id, m.conversation_id)
      left join participations ip on ip.user_id = ${into.id} and ip.conversation_id = m.conversation_id
    where m.sender_id = ${mutedId} and m.id <@ (${lost.silenced}::int8multirange + ${own.silenced}::int8multirange)
      and (${sql.raw(`${received("f")} or ${received("i")}`)})
      and not coalesce(${read("f", lost.silenced)}, false) and not coalesce(${read("i", own.silenced)}, false)`.execute(
    tx,
  );
  const mute = { user_id: into.id, muted_user_id: mutedId, muted_at: lost.muted_at, silenced: lost.silenced };
  await store(tx, realmId, mute, rows[0]?.ids ?? "{}");
  await sql`delete from muted_users where user_id = ${from.id} and muted_user_id = ${mutedId}`.execute(tx);
}

/** Who muted the accounts. */
async function uniteOf(
  tx: Tx,
  { realmId, from, into }: Pair,
  userId: number,
  mutes: Mute[],
  until: number,
): Promise<void> {
  const lost = mutes.find(({ muted_user_id }) => muted_user_id === from.id) ?? none;
  const other = mutes.find(({ muted_user_id }) => muted_user_id === into.id) ?? none;
  const { rows } = await sql<{ ids: string }>`
    select coalesce(range_agg(int8range(m.id, m.id + 1)), '{}')::text as ids from messages m
      left join subscriptions o on o.user_id = ${userId} and o.channel_id = coalesce(m.origin_id, m.conversation_id)
      left join participations p on p.user_id = ${userId} and p.conversation_id = m.conversation_id
    where m.sender_id in (${from.id}, ${into.id})
      and m.id <@ (${lost.silenced}::int8multirange + ${other.silenced}::int8multirange)
      and not m.id <@ case when m.sender_id = ${from.id} then ${lost.silenced}::int8multirange
        else ${other.silenced}::int8multirange end
      and coalesce(m.id <@ o.received, p.user_id is not null) and not m.id <@ coalesce(o.read, p.read)`.execute(tx);
  const mute = { user_id: userId, muted_user_id: into.id, muted_at: lost.muted_at, silenced: lost.silenced };
  await store(tx, realmId, mute, rows[0]?.ids ?? "{}");
  // What the account has sent stays read until it has another sender. It sends no more, and to mute is up to the other row.
  await sql`update muted_users set muted_at = null, silenced = silenced * int8multirange(int8range(null, ${until}))
    where user_id = ${userId} and muted_user_id = ${from.id}`.execute(tx);
}

/** Adds the mute to the one there is. `unread`: what it must not cover. */
const store = (tx: Tx, realmId: number, { user_id, muted_user_id, muted_at, silenced }: Mute, unread: string) =>
  sql`insert into muted_users as m (user_id, muted_user_id, realm_id, muted_at, silenced)
    values (${user_id}, ${muted_user_id}, ${realmId}, ${muted_at}, ${silenced}::int8multirange - ${unread}::int8multirange)
    on conflict (user_id, muted_user_id) do update set muted_at = coalesce(m.muted_at, excluded.muted_at),
      silenced = m.silenced + excluded.silenced - ${unread}::int8multirange`.execute(tx);

/** If one of the accounts muted the other: what it received and read by that is now one's own, and read. */
async function keepOwnRead(tx: Tx, { from, into }: Pair): Promise<void> {
  await sql`update messages set read_by_sender = true where id = any(array(
    select m.id from muted_users mute
      join messages m on m.sender_id = mute.muted_user_id and m.id <@ mute.silenced and not m.read_by_sender
      left join subscriptions o on o.user_id = mute.user_id and o.channel_id = coalesce(m.origin_id, m.conversation_id)
      left join participations p on p.user_id = mute.user_id and p.conversation_id = m.conversation_id
    where mute.user_id in (${from.id}, ${into.id}) and mute.muted_user_id in (${from.id}, ${into.id})
      and coalesce(m.id <@ o.received, p.user_id is not null)))`.execute(tx);
}

/** When the messages have moved. */
export async function removeMutes(tx: Tx, { from, into }: Pair): Promise<void> {
  const both = [from.id, into.id];
  await sql`delete from muted_users where user_id = ${from.id} or muted_user_id = ${from.id}
    or (user_id = any(${both}::bigint[]) and muted_user_id = any(${both}::bigint[]))`.execute(tx);
}
