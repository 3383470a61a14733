/**
 * The organization of the model, written in bulk: people, channels of all sizes, direct and group conversations, and a
 * history. Determined by the seed.
 */
import type { Random } from "../../faults/random.ts";
import { takeIndexesAway } from "../history/fill.ts";
import { sentences } from "../history/text.ts";
import { addChannels, addUsers, makeRealm } from "../organization.ts";
import type { Account } from "../request.ts";
import type { Stage } from "../stage.ts";
import type { Place } from "./ledger.ts";
import { channelsPerUser, destinations, directsPerUser, groupsPerUser } from "./model.ts";
import { channelSizes } from "./sizes.ts";

const topicsPerChannel = 5;
const followedTopics = 3;
const groupSizes = { from: 3, below: 8 };
const sentenceCount = 5000;
/** How many different members wrote the history of a conversation. */
const writers = 6;
const chunk = 250_000;
/** Nobody has read the newest part of the history. */
const unreadShare = 0.01;

export interface Topic {
  name: string;
  /** A message of its history, if there is one. */
  sampleId: number | undefined;
  /** Messages sent during the run, newest last. */
  recent: number[];
}

export interface Conversation extends Place {
  kind: "public" | "private" | "group" | "direct";
  /** The channel's id; 0 for people. */
  id: number;
  name: string;
  /** Indexes of users. */
  members: number[];
  /** One without a name for people. */
  topics: Topic[];
  /** Topics with messages of this run, most recent last. */
  recentTopics: Topic[];
}

export interface Organization {
  realm: number;
  accounts: Account[];
  channels: Record<"public" | "private", Conversation[]>;
  /** By user: conversations of each kind. */
  of: Record<Conversation["kind"], Conversation[][]>;
}

export const newTopic = (name: string): Topic => ({ name, sampleId: undefined, recent: [] });

export const newConversation = (kind: Conversation["kind"], id: number, members: number[]): Conversation => ({
  kind,
  id,
  name: `channel ${id}`,
  members,
  topics: [],
  recentTopics: [],
  present: 0,
  weight: 0,
});

export async function makeOrganization(
  stage: Stage,
  random: Random,
  { users, messages }: { users: number; messages: number },
): Promise<Organization> {
  const realm = await makeRealm(stage);
  const accounts = await addUsers(stage, realm, users);
  const channels = await makeChannels(stage, random, realm, accounts);
  const people = await makeDirects(stage, random, realm, accounts);
  stage.say(
    `${users.toLocaleString("en-US")} users, ${channels.length} channels, ${people.length} direct conversations`,
  );
  const conversations = [...channels, ...people.map(({ conversation }) => conversation)];
  await makeHistory(stage, random, realm, accounts, channels, people, messages);
  const listed = (kind: Conversation["kind"]): Conversation[][] => {
    const lists: Conversation[][] = accounts.map(() => []);
    for (const each of conversations)
      if (each.kind === kind) for (const member of each.members) lists[member]?.push(each);
    return lists;
  };
  const of = {
    public: listed("public"),
    private: listed("private"),
    group: listed("group"),
    direct: listed("direct"),
  };
  const ofKind = (kind: Conversation["kind"]) => channels.filter((channel) => channel.kind === kind);
  return { realm, accounts, channels: { public: ofKind("public"), private: ofKind("private") }, of };
}

async function makeChannels(
  stage: Stage,
  random: Random,
  realm: number,
  accounts: readonly Account[],
): Promise<Conversation[]> {
  const sizes = channelSizes(accounts.length);
  const ids = await addChannels(stage, realm, sizes.length);
  const everyPublic = 1 + channelsPerUser.private / channelsPerUser.public;
  const channels = ids.map((id, index) => {
    // The largest is public, and so is every third one.
    const kind = index % everyPublic === 0 ? "public" : "private";
    return newConversation(kind, id, pickMembers(random, accounts.length, sizes[index] ?? 0));
  });
  await stage.pool.query("update channels set invite_only = true where id = any($1)", [
    channels.filter(({ kind }) => kind === "private").map(({ id }) => id),
  ]);
  const pairs = channels.flatMap(({ id, members }) =>
    members.map((member): [number, number] => [accounts[member]?.id ?? 0, id]),
  );
  for (let at = 0; at < pairs.length; at += chunk) {
    const some = pairs.slice(at, at + chunk);
    await stage.pool.query(
      `insert into subscriptions (user_id, channel_id, realm_id, received, color)
      select u, c, $1, '{[1,)}', '#76ce90' from unnest($2::bigint[], $3::bigint[]) p (u, c)`,
      [realm, some.map(([user]) => user), some.map(([, channel]) => channel)],
    );
  }
  const names = Array.from({ length: topicsPerChannel }, (_, index) => `subject ${index + 1}`);
  for (const channel of channels) channel.topics = names.map(newTopic);
  return channels;
}

function pickMembers(random: Random, users: number, size: number): number[] {
  if (size >= users) return Array.from({ length: users }, (_, index) => index);
  const picked = new Set<number>();
  while (picked.size < size) picked.add(random.integer(users));
  return [...picked];
}

/** Conversations of people have no id on the wire; this is the one in the database. */
interface Direct {
  conversation: Conversation;
  rowId: number;
}

async function makeDirects(
  { pool }: Stage,
  random: Random,
  realm: number,
  accounts: readonly Account[],
): Promise<Direct[]> {
  const users = accounts.length;
  const byKey = new Map<string, Conversation>();
  const add = (size: number) => {
    const members = pickMembers(random, users, Math.min(users, size)).toSorted((one, other) => one - other);
    const key = members.map((member) => accounts[member]?.id).join(",");
    if (!byKey.has(key))
      byKey.set(key, { ...newConversation(size > 2 ? "group" : "direct", 0, members), topics: [newTopic("")] });
  };
  for (let count = 0; count < users * directsPerUser; count++) add(2);
  for (let count = 0; count < users * groupsPerUser; count++)
    add(random.between(groupSizes.from, groupSizes.below) | 0);
  const { rows } = await pool.query<{ id: number; direct_key: string }>(
    `insert into conversations (realm_id, direct_key, is_group)
    select $1, k, k like '%,%,%' from unnest($2::text[]) k returning id, direct_key`,
    [realm, [...byKey.keys()]],
  );
  await pool.query(
    `insert into participations (user_id, conversation_id, realm_id)
    select u::bigint, c.id, $1 from conversations c, string_to_table(c.direct_key, ',') u where c.realm_id = $1 and c.direct_key is not null`,
    [realm],
  );
  return rows.flatMap(({ id, direct_key }) => {
    const conversation = byKey.get(direct_key);
    return conversation ? [{ conversation, rowId: id }] : [];
  });
}

/** Where messages of the history go, as rows of a table. */
interface PlaceRow {
  conversation: number;
  topic: number | null;
  senders: number[];
  subject: Topic;
}

async function makeHistory(
  stage: Stage,
  random: Random,
  realm: number,
  accounts: readonly Account[],
  channels: readonly Conversation[],
  people: readonly Direct[],
  messages: number,
): Promise<void> {
  const { pool } = stage;
  const idsOf = ({ members }: Conversation): number[] =>
    Array.from({ length: writers }, () => accounts[random.pick(members)]?.id ?? 0);
  const { rows: topicRows } = await pool.query<{ id: number; channel_id: number; name: string }>(
    `insert into topics (realm_id, channel_id, name) select $1, c, n from unnest($2::bigint[]) c, unnest($3::text[]) n
    returning id, channel_id, name`,
    [realm, channels.map(({ id }) => id), channels[0]?.topics.map(({ name }) => name) ?? []],
  );
  const channelOf = new Map(channels.map((channel) => [channel.id, channel]));
  const ofKind = (kind: Conversation["kind"]): PlaceRow[] =>
    people.flatMap(({ conversation, rowId }) => {
      const subject = conversation.topics[0];
      if (conversation.kind !== kind || !subject) return [];
      return [{ conversation: rowId, topic: null, senders: idsOf(conversation), subject }];
    });
  const inChannels = topicRows.flatMap(({ id, channel_id, name }): PlaceRow[] => {
    const channel = channelOf.get(channel_id);
    const subject = channel?.topics.find((topic) => topic.name === name);
    return channel && subject ? [{ conversation: channel_id, topic: id, senders: idsOf(channel), subject }] : [];
  });
  const directs = ofKind("direct");
  const groups = ofKind("group");
  await makeMaterial(stage, [...directs, ...groups, ...inChannels]);
  await pool.query(
    `insert into user_topics (user_id, topic_id, realm_id, visibility_policy)
    select s.user_id, t.id, $1, 3 from (
      select user_id, channel_id, row_number() over (partition by user_id order by channel_id desc) as n from subscriptions where realm_id = $1
    ) s join topics t on t.channel_id = s.channel_id and t.name = 'subject 1' where s.n <= $2`,
    [realm, followedTopics],
  );

  // Everybody has been there before; otherwise clients could not ask for changes since their registration.
  await pool.query(
    `insert into presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
    select id, realm_id, now() - interval '1 day', now() - interval '1 day', 1 from users where realm_id = $1 and not is_bot`,
    [realm],
  );
  await pool.query("insert into clients (name) values ('bench') on conflict do nothing");
  const begun = performance.now();
  const definitions = await takeIndexesAway(stage);
  const counts = [directs.length, groups.length, inChannels.length];
  for (let done = 0; done < messages; done += chunk)
    await pool.query(insertMessages, [realm, done + 1, Math.min(messages, done + chunk), ...counts]);
  for (const definition of definitions) await pool.query(definition);
  await pool.query("update search_progress set message_id = (select max(id) from messages)");
  await pool.query("update notification_progress set settled = (select max(id) from messages)");
  await pool.query(
    `update channels c set first_message_id = h.first, is_recently_active = c.is_recently_active or h.newest > now() - interval '180 days'
    from (select conversation_id, min(id) as first, max(date_sent) as newest from messages where realm_id = $1 group by 1) h
    where c.id = h.conversation_id`,
    [realm],
  );
  const readUpTo = `(select int8multirange(int8range(1, max(id) - ${Math.round(messages * unreadShare)})) from messages)`;
  await pool.query(`update subscriptions set read = ${readUpTo} where realm_id = $1`, [realm]);
  await pool.query(`update participations set read = ${readUpTo} where realm_id = $1`, [realm]);
  await takeSamples(stage, [...directs, ...groups, ...inChannels]);
  await pool.query("drop table bench_places, bench_sentences");
  await pool.query("vacuum analyze");
  await pool.query("checkpoint");
  stage.say(`${messages.toLocaleString("en-US")} messages in ${Math.round((performance.now() - begun) / 1000)} s`);
}

async function makeMaterial({ pool }: Stage, places: readonly PlaceRow[]): Promise<void> {
  await pool.query("create unlogged table bench_sentences (id int primary key, text text, words tsvector)");
  await pool.query(
    "insert into bench_sentences select n - 1, text, words_of('english', text) from unnest($1::text[]) with ordinality as s (text, n)",
    [sentences(sentenceCount)],
  );
  await pool.query(
    "create unlogged table bench_places (id int primary key, conversation_id bigint, topic_id bigint, senders bigint[])",
  );
  await pool.query(
    `insert into bench_places select n - 1, c, t, string_to_array(s, ',')::bigint[]
    from unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality as p (c, t, s, n)`,
    [
      places.map(({ conversation }) => conversation),
      places.map(({ topic }) => topic),
      places.map(({ senders }) => senders.join(",")),
    ],
  );
  await pool.query("analyze bench_sentences, bench_places");
}

const tenths = {
  direct: destinations.direct * 10,
  group: destinations.group * 10,
  channel: (destinations.public + destinations.private) * 10,
};
/** How many messages of this kind there are up to the n-th of all: every place gets its share of consecutive numbers. */
const countUpTo = (kind: keyof typeof tenths): string => `(n / 10 * ${Math.round(tenths[kind])} + n % 10)`;

/** Places are numbered: first direct conversations ($4 of them), then groups ($5), then topics ($6). */
const insertMessages = `with made as materialized (
    select n, nextval('messages_id_seq') as id, one.text || ' ' || two.text as text, one.words || two.words as words,
      p.conversation_id, p.topic_id, p.senders[1 + (n / 7) % ${writers}] as sender
    from generate_series($2::bigint, $3::bigint) n
      join bench_sentences one on one.id = (n * 7919) % ${sentenceCount}
      join bench_sentences two on two.id = (n * 104729 + 3) % ${sentenceCount}
      join bench_places p on p.id = case
        when n % 10 < ${tenths.direct} then (${countUpTo("direct")} * 15485863) % $4::bigint
        when n % 10 < ${tenths.direct + tenths.group} then $4 + (${countUpTo("group")} * 15485863) % $5::bigint
        else $4 + $5 + (${countUpTo("channel")} * 15485863) % $6::bigint end
    order by n),
  stored as (
    insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, date_sent, content, rendered_content)
    select id, $1, conversation_id, topic_id, sender, (select min(id) from clients),
      now() - interval '60 days' + n * interval '5 seconds', text, '<p>' || text || '</p>'
    from made order by id)
  insert into message_search (message_id, realm_id, vector)
  select id, $1, words || array_to_tsvector(array[realm_word($1)]) from made order by id`;

/** One of the older messages of each topic or direct conversation, to scroll back from and to link to. */
async function takeSamples({ pool }: Stage, places: readonly PlaceRow[]): Promise<void> {
  const { rows } = await pool.query<{ id: number; message: number | null }>(
    `select p.id, (select m.id from messages m
      where m.conversation_id = p.conversation_id and m.topic_id is not distinct from p.topic_id order by m.id desc offset 20 limit 1) as message
    from bench_places p`,
  );
  for (const { id, message } of rows) {
    const place = places[id];
    if (place && message !== null) place.subject.sampleId = message;
  }
}
