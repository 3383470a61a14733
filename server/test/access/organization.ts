/** Creates a random organization on the server together with its model. Its history is inserted by bulk SQL. */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Context } from "../../src/context.ts";
import { createRealm } from "../../src/domain/organization/realm/create.ts";
import { accountById, type Realm, type User } from "../../src/identity/account.ts";
import { transaction, type Tx } from "../../src/platform/db/transaction.ts";
import { topics, type Happening, type Plan } from "./plan.ts";
import { isInChannel, type ChannelMessage, type File, type Message, type Person, type Place } from "./rule.ts";

/** A word that some messages contain. */
export const word = "everywhere";

/** The item that a plan's number refers to. */
export function among<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error("a plan has people and channels");
  return item;
}

/** Like `among`, but may be undefined. */
export const maybeAmong = <T>(list: readonly T[], index: number | null): T | undefined =>
  index === null ? undefined : list[index % list.length];

export class Organization {
  readonly ctx: Context;
  readonly realm: Realm;
  readonly people: Person[];
  readonly places: Place[];
  readonly files: File[];
  readonly hidesPeople: boolean;
  readonly conversations: Person[][] = [];
  /** By id, ascending. */
  messages: Message[] = [];
  readonly starred = new Map<Person, Set<Message>>();

  constructor(
    ctx: Context,
    realm: Realm,
    { hidesPeople }: Plan,
    { people, places, files }: { people: Person[]; places: Place[]; files: File[] },
  ) {
    this.ctx = ctx;
    this.realm = realm;
    this.hidesPeople = hidesPeople;
    this.people = people;
    this.places = places;
    this.files = files;
  }

  /** The current account; undefined if it is deactivated. */
  account = (person: Person): Promise<User | undefined> => accountById(this.ctx.db, person.id);

  static async make(ctx: Context, plan: Plan): Promise<Organization> {
    const name = `t${randomBytes(6).toString("hex")}`;
    return transaction(ctx.db, "make a random organization", async (tx) => {
      const realm = await createRealm(tx, { string_id: name, name, host: `${name}.example.com` });
      const people = await makePeople(tx, realm, plan);
      const places = await makePlaces(tx, realm, people, plan);
      const files = await makeFiles(tx, realm, people, plan);
      const organization = new Organization(ctx, realm, plan, { people, places, files });
      if (plan.hidesPeople) await hidePeople(tx, realm);
      const ids = await takeIds(tx, plan.past.length);
      for (const [n, happening] of plan.past.entries()) organization.#happen(happening, ids[n] ?? 0);
      await store(tx, organization);
      return organization;
    });
  }

  #happen(happening: Happening, id: number): void {
    if (happening.kind === "come or go") {
      comeOrGo(among(this.people, happening.person), among(this.places, happening.channel), id);
    } else if (happening.kind === "move") {
      const moved = maybeAmong(this.messages.filter(isInChannel), happening.message);
      if (moved) moveTo(moved, among(this.places, happening.channel), id);
    } else {
      const sender = among(this.people, happening.person);
      const file = maybeAmong(this.files, happening.file);
      const isDirect = happening.kind === "write";
      const parties = isDirect
        ? [...new Set([sender, ...happening.to.map((other) => among(this.people, other))])]
        : undefined;
      if (parties) this.conversations.push(parties);
      this.messages.push({
        id,
        senderId: sender.id,
        place: isDirect ? (parties ?? []) : among(this.places, happening.channel),
        topic: isDirect ? "" : among(topics, happening.topic),
        spellings: [isDirect ? "" : among(topics, happening.topic)],
        origin: undefined,
        entered: id,
        hasWord: true,
        files: new Set(file ? [file] : []),
      });
    }
  }
}

/** Hides users from guests who share no channel or conversation with them. */
async function hidePeople(tx: Tx, { id }: Realm): Promise<void> {
  await sql`update realms set can_access_all_users_group_id =
      (select g.id from user_groups g where g.realm_id = ${id} and g.name = 'role:members')
    where id = ${id}`.execute(tx);
}

export function comeOrGo(person: Person, place: Place, at: number): void {
  const stays = place.stays.get(person) ?? [];
  const open = stays.find(([, until]) => until === Infinity);
  if (open) open[1] = at;
  else place.stays.set(person, [...stays, [at, Infinity]]);
}

export function moveTo(message: ChannelMessage, place: Place, at: number): void {
  if (message.place === place) return;
  Object.assign(message, { origin: message.origin ?? message.place, place, entered: at });
}

export async function takeIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval('messages_id_seq') as id from generate_series(1, ${count})`.execute(tx);
  return rows.map(({ id }) => id).toSorted((a, b) => a - b);
}

async function makePeople(tx: Tx, realm: Realm, { roles }: Plan): Promise<Person[]> {
  const { rows } = await sql<{ id: number; role: number }>`
    insert into users (realm_id, delivery_email, full_name, role, settings)
    select ${realm.id}, 'p' || n || '@example.com', 'person ' || n, role, '{"enable_stream_desktop_notifications": true}'
    from unnest(${[100, ...roles]}::smallint[]) with ordinality as given (role, n)
    returning id, role`.execute(tx);
  return rows.map(({ id, role }) => ({ id, role, isOpen: true }));
}

/** Each channel has a group that grants access; it is a subgroup of the group that holds the permission. */
async function makePlaces(tx: Tx, realm: Realm, people: Person[], { channels }: Plan): Promise<Place[]> {
  const given = channels.map(({ kind, permission, holders }) => ({
    kind,
    permission,
    holders: [...new Set(holders.map((holder) => among(people, holder).id))],
  }));
  const { rows } = await sql<{ id: number; name: string }>`
    with given as materialized (
      select kind, permission, holders, n, nextval(pg_get_serial_sequence('conversations', 'id')) as id,
        nextval(pg_get_serial_sequence('user_groups', 'id')) as inner_id,
        nextval(pg_get_serial_sequence('user_groups', 'id')) as outer_id
      from rows from (json_to_recordset(${JSON.stringify(given)}::json) as (kind text, permission text, holders bigint[]))
        with ordinality as g (kind, permission, holders, n)
    ), conversation as (insert into conversations (id, realm_id) select id, ${realm.id} from given),
    nobody as (select id from user_groups where realm_id = ${realm.id} and name = 'role:nobody'),
    everyone as (select id from user_groups where realm_id = ${realm.id} and name = 'role:everyone'),
    named as (
      insert into user_groups (id, realm_id, name, can_add_members_group_id, can_join_group_id, can_leave_group_id,
        can_manage_group_id, can_mention_group_id, can_remove_members_group_id)
      select inner_id, ${realm.id}, 'holders of channel ' || n, nobody.id, nobody.id, nobody.id, nobody.id, nobody.id, nobody.id
      from given, nobody),
    nameless as (insert into user_groups (id, realm_id) select outer_id, ${realm.id} from given),
    nested as (
      insert into user_group_subgroups (group_id, subgroup_id, realm_id) select outer_id, inner_id, ${realm.id} from given),
    members as (
      insert into user_group_members (group_id, user_id, realm_id)
      select inner_id, unnest(holders), ${realm.id} from given)
    insert into channels (id, realm_id, name, invite_only, is_web_public, history_public_to_subscribers,
      can_add_subscribers_group_id, can_administer_channel_group_id, can_remove_subscribers_group_id,
      can_send_message_group_id, can_subscribe_group_id)
    select g.id, ${realm.id}, 'channel ' || g.n, kind in ('private', 'protected'), kind = 'web-public', kind <> 'protected',
      case when permission = 'can_add_subscribers_group' then outer_id else nobody.id end, nobody.id, nobody.id, everyone.id,
      case when permission = 'can_subscribe_group' then outer_id else nobody.id end
    from given g, nobody, everyone returning id, name`.execute(tx);
  const places = rows
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, name }, n): Place => ({
      id,
      name,
      kind: channels[n]?.kind ?? "private",
      isArchived: false,
      holders: new Set(people.filter((person) => given[n]?.holders.includes(person.id))),
      stays: new Map(),
    }));
  await sql`insert into topics (realm_id, channel_id, name)
    select ${realm.id}, channel, name
    from unnest(${places.map(({ id }) => id)}::bigint[]) as channel, unnest(${topics}::text[]) as name`.execute(tx);
  return places;
}

/** Stores no content, because access does not depend on it. */
async function makeFiles(tx: Tx, realm: Realm, people: Person[], plan: Plan): Promise<File[]> {
  const files = plan.files.map((owner, n) => ({ path: `${realm.id}/${n}/file.txt`, owner: among(people, owner) }));
  await sql`insert into attachments (realm_id, owner_id, path_id, file_name, size, content_type)
    select ${realm.id}, owner, path, 'file.txt', 1, 'text/plain'
    from unnest(${files.map(({ owner }) => owner.id)}::bigint[], ${files.map(({ path }) => path)}::text[])
      as given (owner, path)`.execute(tx);
  return files;
}

/** Subscription periods in PostgreSQL's range syntax. */
const ranges = (stays: [number, number][]): string =>
  `{${stays.map(([from, until]) => `[${from},${until === Infinity ? "" : until})`).join()}}`;

async function store(tx: Tx, { realm, places, messages }: Organization): Promise<void> {
  const subscriptions = places.flatMap(({ id, stays }) =>
    [...stays].map(([person, list]) => ({
      user: person.id,
      channel: id,
      active: list.some(([, until]) => until === Infinity),
      received: ranges(list),
    })),
  );
  await sql`insert into subscriptions (user_id, channel_id, realm_id, active, received, color)
    select "user", channel, ${realm.id}, active, received::int8multirange, '#000000'
    from json_to_recordset(${JSON.stringify(subscriptions)}::json)
      as given ("user" bigint, channel bigint, active boolean, received text)`.execute(tx);
  const conversations = await storeConversations(tx, realm, messages);
  const stored = messages.map(({ id, senderId, place, topic, origin, entered, files }) => ({
    id,
    sender: senderId,
    conversation: Array.isArray(place) ? conversations.get(directKey(place)) : place.id,
    topic,
    origin: origin === place ? null : (origin?.id ?? null),
    entered: entered === id ? null : entered,
    paths: [...files].map(({ path }) => path),
  }));
  await sql`insert into clients (name) values ('test') on conflict do nothing`.execute(tx);
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(stored)}::json)
        as given (id bigint, sender bigint, conversation bigint, topic text, origin bigint, entered bigint, paths text[])
    ), message as (
      insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content,
        origin_id, entered_at)
      select g.id, ${realm.id}, conversation, t.id, sender, (select c.id from clients c where c.name = 'test'),
        ${word}, ${`<p>${word}</p>`}, origin, entered
      from given g left join topics t on t.channel_id = conversation and t.name = g.topic returning id
    )
    insert into attachment_messages (attachment_id, message_id, realm_id)
    select a.id, m.id, ${realm.id}
    from message m join given g on g.id = m.id join attachments a on a.path_id = any(g.paths)`.execute(tx);
}

const directKey = (parties: Person[]): string =>
  parties
    .map(({ id }) => id)
    .toSorted((a, b) => a - b)
    .join(",");

async function storeConversations(tx: Tx, { id: realmId }: Realm, messages: Message[]): Promise<Map<string, number>> {
  const keys = new Set(messages.flatMap(({ place }) => (Array.isArray(place) ? [directKey(place)] : [])));
  const { rows } = await sql<{ id: number; direct_key: string }>`
    with conversation as (
      insert into conversations (realm_id, direct_key, is_group)
      select ${realmId}, key, key like '%,%,%' from unnest(${[...keys]}::text[]) as key
      returning id, direct_key
    ), participation as (
      insert into participations (user_id, conversation_id, realm_id)
      select unnest(string_to_array(direct_key, ',')::bigint[]), id, ${realmId} from conversation)
    select * from conversation`.execute(tx);
  return new Map(rows.map((row) => [row.direct_key, row.id]));
}
