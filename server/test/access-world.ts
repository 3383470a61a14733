/**
 * A random organization, made by bulk SQL, and the plain rule of who may read what in it. It has people of all roles,
 * channels of all kinds, groups that open channels, people who came and went, messages that were moved, and direct
 * messages.
 */
import { randomBytes } from "node:crypto";
import { sql, type Selectable } from "kysely";
import type { Context } from "../src/context.ts";
import { createRealm } from "../src/domain/realm/create.ts";
import { makeTopic } from "../src/domain/messages/send-alone.ts";
import type { Channel } from "../src/domain/channels/access.ts";
import type { User } from "../src/http/sessions.ts";
import type { UsersTable } from "../src/platform/db/schema.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import type { Dice } from "./dice.ts";

/** A word in every message. */
export const word = "everywhere";

export interface WorldMessage {
  id: number;
  sender: User;
  /** Where it stands now. */
  place: WorldChannel | { parties: User[] };
  /** Where it was sent to, and the id of the next message when it came to where it stands. */
  origin: WorldChannel | undefined;
  entered: number;
}

export interface WorldChannel {
  channel: Channel;
  /** Those whom a group of the channel opens it to. */
  holders: Set<number>;
  /** From which id to before which each was subscribed. */
  stays: Map<number, [number, number][]>;
}

export class AccessWorld {
  readonly users: User[];
  readonly channels: WorldChannel[];
  readonly messages: WorldMessage[];
  /** Which messages each has read. */
  readonly read: Map<number, Set<number>>;

  private constructor(users: User[], channels: WorldChannel[], messages: WorldMessage[], read: AccessWorld["read"]) {
    this.users = users;
    this.channels = channels;
    this.messages = messages;
    this.read = read;
  }

  isSubscribed = (user: User, { stays }: WorldChannel): boolean =>
    (stays.get(user.id) ?? []).some(([, until]) => until === Infinity);

  wasThere = (user: User, { stays }: WorldChannel, id: number): boolean =>
    (stays.get(user.id) ?? []).some(([from, until]) => from <= id && id < until);

  /** Whether the user may read what is written in the channel. */
  isOpen(user: User, place: WorldChannel): boolean {
    const isGuest = user.role === 600;
    if (place.channel.is_web_public || this.isSubscribed(user, place)) return true;
    return !isGuest && (!place.channel.invite_only || place.holders.has(user.id));
  }

  /** Whether the user may know that the channel is there. */
  isKnown = (user: User, place: WorldChannel): boolean => user.role <= 200 || this.isOpen(user, place);

  canRead(user: User, { place, entered }: WorldMessage): boolean {
    if ("parties" in place) return place.parties.includes(user);
    const hasHistory = place.channel.history_public_to_subscribers;
    return this.isOpen(user, place) && (hasHistory || this.wasThere(user, place, entered));
  }

  wasSent = (user: User, { id, place, origin }: WorldMessage): boolean =>
    "parties" in place ? place.parties.includes(user) : this.wasThere(user, origin ?? place, id);

  /** Who has read a message they were sent, the sender excepted. */
  readersOf = (message: WorldMessage): number[] =>
    this.users
      .filter(
        (user) => user !== message.sender && this.wasSent(user, message) && this.read.get(user.id)?.has(message.id),
      )
      .map((user) => user.id);

  static async make(ctx: Context, dice: Dice): Promise<AccessWorld> {
    const name = `t${randomBytes(6).toString("hex")}`;
    return transaction(ctx.db, "make a random organization", async (tx) => {
      const realm = await createRealm(tx, { string_id: name, name, host: `${name}.example.com` });
      const roles = [100, 200, 300, 400, 400, 600, 600].filter((role) => role === 400 || dice.chance(0.5));
      const { rows } = await sql<Selectable<UsersTable> & { rank: number }>`
        insert into users (realm_id, delivery_email, full_name, role)
        select ${realm.id}, 'p' || n || '@example.com', 'person ' || n, role
        from unnest(${roles}::smallint[]) with ordinality as given (role, n)
        returning *, rank_of(role, date_joined, ${realm.waiting_period_threshold}) as rank`.execute(tx);
      const users = rows.map(({ password_hash: _, ...user }) => ({ ...user, realm }));

      const kinds = Array.from({ length: 4 }, () =>
        dice.pick(["web-public", "public", "private", "protected"] as const),
      );
      const holders = kinds.map(() => users.filter(() => dice.chance(0.2)));
      const { rows: made } = await sql<Channel>`
        with given as (
          select kind, n, nextval(pg_get_serial_sequence('conversations', 'id')) as id,
            nextval(pg_get_serial_sequence('user_groups', 'id')) as inner_id,
            nextval(pg_get_serial_sequence('user_groups', 'id')) as outer_id
          from unnest(${kinds}::text[]) with ordinality as kinds (kind, n)
        ), conversation as (insert into conversations (id, realm_id) select id, ${realm.id} from given),
        groups as (
          insert into user_groups (id, realm_id) select unnest(array[inner_id, outer_id]), ${realm.id} from given),
        nested as (
          insert into user_group_subgroups (group_id, subgroup_id, realm_id)
          select outer_id, inner_id, ${realm.id} from given),
        members as (
          insert into user_group_members (group_id, user_id, realm_id)
          select g.inner_id, (member->>0)::bigint, ${realm.id}
          from given g, json_array_elements(${JSON.stringify(holders.flatMap((people, n) => people.map(({ id }) => [id, n + 1])))}::json) member
          where g.n = (member->>1)::bigint),
        nobody as (select id from user_groups where realm_id = ${realm.id} and name = 'role:nobody')
        insert into channels (id, realm_id, name, invite_only, is_web_public, history_public_to_subscribers,
          can_add_subscribers_group_id, can_administer_channel_group_id, can_remove_subscribers_group_id,
          can_send_message_group_id, can_subscribe_group_id)
        select g.id, ${realm.id}, 'channel ' || g.n, kind in ('private', 'protected'), kind = 'web-public', kind <> 'protected',
          case when g.n % 2 = 0 then g.outer_id else nobody.id end, nobody.id, nobody.id, nobody.id,
          case when g.n % 2 = 0 then nobody.id else g.outer_id end
        from given g, nobody returning *`.execute(tx);
      const channels = made
        .toSorted((a, b) => a.id - b.id)
        .map((channel, n): WorldChannel => ({
          channel,
          holders: new Set(holders[n]?.map((user) => user.id)),
          stays: new Map(),
        }));
      for (const { channel } of channels) await makeTopic(tx, channel, "talk");

      const world = new AccessWorld(users, channels, [], new Map(users.map((user) => [user.id, new Set()])));
      await world.#live(dice, await takeIds(tx, 24));
      await world.#store(tx, realm.id);
      return world;
    });
  }

  /** What happens, one thing for each id. */
  async #live(dice: Dice, ids: number[]): Promise<void> {
    for (const id of ids) {
      const [user, channel] = [dice.pick(this.users), dice.pick(this.channels)];
      const stays = channel.stays.get(user.id) ?? [];
      const open = stays.find(([, until]) => until === Infinity);
      const happening = dice.pick(["join or leave", "join or leave", "send", "send", "send", "write", "move"] as const);
      if (happening === "join or leave") {
        if (open) open[1] = id;
        else channel.stays.set(user.id, [...stays, [id, Infinity]]);
      } else if (happening === "send") {
        this.messages.push({ id, sender: user, place: channel, origin: undefined, entered: id });
      } else if (happening === "write") {
        const parties = [...new Set([user, dice.pick(this.users), dice.pick(this.users)])];
        this.messages.push({ id, sender: user, place: { parties }, origin: undefined, entered: id });
      } else {
        const moved = this.messages.find(({ place }) => "channel" in place && place !== channel && dice.chance(0.5));
        if (!moved || "parties" in moved.place) continue;
        Object.assign(moved, { origin: moved.origin ?? moved.place, place: channel, entered: id });
      }
    }
    for (const message of this.messages)
      for (const user of this.users)
        if (this.wasSent(user, message) && dice.chance(0.3)) this.read.get(user.id)?.add(message.id);
  }

  async #store(tx: Parameters<typeof makeTopic>[0], realmId: number): Promise<void> {
    const readBy = (user: number) =>
      `{${[...(this.read.get(user) ?? [])]
        .toSorted((a, b) => a - b)
        .map((id) => `[${id},${id + 1})`)
        .join()}}`;
    const subscriptions = this.channels.flatMap(({ channel, stays }) =>
      [...stays].map(([user, list]) => ({
        user,
        channel: channel.id,
        active: list.some(([, until]) => until === Infinity),
        received: `{${list.map(([from, until]) => `[${from},${until === Infinity ? "" : until})`).join()}}`,
        read: readBy(user),
      })),
    );
    await sql`insert into subscriptions (user_id, channel_id, realm_id, active, received, read, color)
      select "user", channel, ${realmId}, active, received::int8multirange, read::int8multirange, '#000000'
      from json_to_recordset(${JSON.stringify(subscriptions)}::json)
        as given ("user" bigint, channel bigint, active boolean, received text, read text)`.execute(tx);

    const keys = new Map<string, number[]>();
    for (const { place } of this.messages)
      if ("parties" in place) {
        const ids = place.parties.map((user) => user.id).toSorted((a, b) => a - b);
        keys.set(ids.join(","), ids);
      }
    const { rows } = await sql<{ id: number; direct_key: string }>`
      insert into conversations (realm_id, direct_key, is_group)
      select ${realmId}, key, key like '%,%,%' from unnest(${[...keys.keys()]}::text[]) as key
      returning id, direct_key`.execute(tx);
    const conversationOf = new Map(rows.map((row) => [row.direct_key, row.id]));
    const parts = rows.flatMap(({ id, direct_key }) =>
      (keys.get(direct_key) ?? []).map((user) => ({ user, conversation: id, read: readBy(user) })),
    );
    await sql`insert into participations (user_id, conversation_id, realm_id, read)
      select "user", conversation, ${realmId}, read::int8multirange
      from json_to_recordset(${JSON.stringify(parts)}::json) as given ("user" bigint, conversation bigint, read text)`.execute(
      tx,
    );

    const stored = this.messages.map(({ id, sender, place, origin, entered }) => ({
      id,
      sender: sender.id,
      conversation:
        "parties" in place
          ? conversationOf.get(
              place.parties
                .map((user) => user.id)
                .toSorted((a, b) => a - b)
                .join(","),
            )
          : place.channel.id,
      origin: origin?.channel.id ?? null,
      entered: entered === id ? null : entered,
    }));
    await sql`insert into clients (name) values ('test') on conflict do nothing`.execute(tx);
    await sql`
      insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content,
        origin_id, entered_at)
      select given.id, ${realmId}, conversation, t.id, sender, (select c.id from clients c where c.name = 'test'),
        ${word}, ${`<p>${word}</p>`}, origin, entered
      from json_to_recordset(${JSON.stringify(stored)}::json)
          as given (id bigint, sender bigint, conversation bigint, origin bigint, entered bigint)
        left join topics t on t.channel_id = conversation`.execute(tx);
  }
}

async function takeIds(tx: Parameters<typeof makeTopic>[0], count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval('messages_id_seq') as id from generate_series(1, ${count})`.execute(tx);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}
