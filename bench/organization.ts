/** An organization created in bulk: users with keys, channels, subscriptions. */
import { createRealm } from "../server/src/domain/organization/realm/create.ts";
import { transaction } from "../server/src/platform/db/transaction.ts";
import type { Connection } from "./connection.ts";
import { apiRequest, call, messageText, sendRequest, type Account, type Place } from "./request.ts";
import type { Stage } from "./stage.ts";

/** The first organization is served at the server's own URL. */
export const makeRealm = async ({ db }: Stage, string_id = ""): Promise<number> =>
  (await transaction(db, "make a realm", (tx) => createRealm(tx, { string_id, name: "Bench" }))).id;

export async function addUsers({ pool }: Stage, realm: number, count: number): Promise<Account[]> {
  const { rows } = await pool.query<Account>(
    `with people as (
      insert into users (realm_id, delivery_email, full_name)
      select $1, 'user' || n || '@example.com', 'User Number ' || n from generate_series(1, $2) n
      returning id, delivery_email as email, 'key-' || id as key
    ), keys as (
      insert into api_keys (realm_id, user_id, key_hash, client_name)
      select $1, id, sha256(convert_to(key, 'utf8')), 'bench' from people
    )
    select id, email, key from people order by id`,
    [realm, count],
  );
  return rows;
}

export async function addChannels({ pool }: Stage, realm: number, count: number): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `with groups as (
      select max(id) filter (where name = 'role:nobody') as nobody, max(id) filter (where name = 'role:everyone') as everyone,
        max(id) filter (where name = 'role:administrators') as administrators
      from user_groups where realm_id = $1
    ), conversation as (
      insert into conversations (realm_id) select $1 from generate_series(1, $2) returning id
    )
    insert into channels (id, realm_id, name, description, can_add_subscribers_group_id,
      can_administer_channel_group_id, can_remove_subscribers_group_id, can_send_message_group_id, can_subscribe_group_id)
    select c.id, $1, 'channel ' || c.id, 'What channel ' || c.id || ' is about', nobody, nobody, administrators,
      everyone, nobody
    from conversation c, groups returning id`,
    [realm, count],
  );
  return rows.map((row) => row.id);
}

/** Subscribes all these users to all these channels, from the first message on. */
export async function subscribe(
  { pool }: Stage,
  realm: number,
  users: readonly Account[],
  channels: readonly number[],
): Promise<void> {
  await pool.query(
    `insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select u, c, $1, '{[1,)}', '#76ce90' from unnest($2::bigint[]) u, unnest($3::bigint[]) c`,
    [realm, users.map((user) => user.id), channels],
  );
}

/** Updates the planner's statistics, as in a long-running database. */
export async function settle({ pool }: Stage): Promise<void> {
  await pool.query("vacuum analyze");
  await pool.query("checkpoint");
}

/** Sends the first message of each channel and topic, which costs more than later ones. */
export async function open(connection: Connection, sender: Account, places: readonly Place[]): Promise<void> {
  for (const place of places) await call(connection, sendRequest(sender, place, messageText));
}

export interface Queue {
  id: string;
  reader: Account;
  lastEventId: number;
}

/** Registers for message events only. */
export async function register(connection: Connection, reader: Account): Promise<Queue> {
  const types = JSON.stringify(["message"]);
  const request = apiRequest(reader, "POST", "/register", { event_types: types, apply_markdown: true });
  const { queue_id, last_event_id } = await call<{ queue_id: string; last_event_id: number }>(connection, request);
  return { id: queue_id, reader, lastEventId: last_event_id };
}

/** A queue for each reader, as if all had registered at the same moment: copies of the first queue. */
export async function registerAll(stage: Stage, connection: Connection, readers: readonly Account[]): Promise<Queue[]> {
  const [first] = readers;
  return first ? copyQueue(stage, await register(connection, first), readers) : [];
}

/** Copies of a queue, one for each reader. */
export async function copyQueue({ pool }: Stage, model: Queue, readers: readonly Account[]): Promise<Queue[]> {
  const { rows } = await pool.query<{ id: string; user_id: number }>(
    `insert into event_queues (id, realm_id, user_id, epoch, first_event_id, snapshot, options, idle_seconds, expires_at)
    select gen_random_uuid(), q.realm_id, u, q.epoch, q.first_event_id, q.snapshot, q.options, q.idle_seconds, q.expires_at
    from event_queues q, unnest($2::bigint[]) u where q.id = $1 returning id, user_id`,
    [model.id, readers.map((reader) => reader.id)],
  );
  const idOf = new Map(rows.map((row) => [row.user_id, row.id]));
  return readers.map((reader) => ({ id: idOf.get(reader.id) ?? "", reader, lastEventId: model.lastEventId }));
}
