/**
 * A large organization with a long history, created in bulk: the same rows that sending would have written, with the words
 * of every message in the index. For a long fill, indexes are dropped and rebuilt afterwards, which is many times faster.
 */
import { addChannels, addUsers, makeRealm } from "../organization.ts";
import type { Account } from "../request.ts";
import type { Stage } from "../stage.ts";
import { figure } from "../statistics.ts";
import { rareWord, sentences } from "./text.ts";

const userCount = 10_000;
const channelCount = 2000;
const topicsElsewhere = 15_000;
const topicsOfBroadChannel = 5000;
const readersChannels = 500;
const sentenceCount = 20_000;
/** The longest topic gets this share of all messages until it has reached its size. */
const longTopicEvery = 8;
export const longTopicMessages = 100_000;
const directEvery = 50;
const rareEvery = 100_000;
const chunk = 250_000;

export interface History {
  realm: number;
  reader: Account;
  /** The reader's channels, the busiest first. */
  channels: number[];
  /** A channel with very many topics. */
  broadChannel: number;
  /** Topics of the reader's channels. */
  topics: { channel: number; topic: number; name: string }[];
  longTopic: { channel: number; topic: number };
  /** The reader's direct conversations. */
  partners: number[];
  messages: number;
}

export async function makeOrganization(stage: Stage): Promise<History> {
  const realm = await makeRealm(stage);
  const users = await addUsers(stage, realm, userCount);
  const channels = await addChannels(stage, realm, channelCount);
  const [reader] = users;
  const [broadChannel, longChannel] = channels;
  if (!reader || broadChannel === undefined || longChannel === undefined) throw new Error("there are some of each");
  const { pool } = stage;
  await pool.query(
    `insert into topics (realm_id, channel_id, name)
    select $1::bigint, $2::bigint, 'subject ' || n from generate_series(1, $3) n
    union all select $1, $4::bigint, 'the long story'
    union all select $1, ($5::bigint[])[2 + n % $6::int], 'about ' || n from generate_series(1, $7) n`,
    [realm, broadChannel, topicsOfBroadChannel, longChannel, channels, channelCount - 1, topicsElsewhere],
  );
  await pool.query(
    // The reader's channels are the first; everybody else is in thirty adjacent ones.
    `insert into subscriptions (user_id, channel_id, realm_id, received, read, color)
    select $2::bigint, c, $1::bigint, '{[1,)}'::int8multirange, '{}'::int8multirange, '#76ce90' from unnest($3::bigint[]) c
    union all
    select u, ($4::bigint[])[1 + (u * 17 + n * 11) % $5::int], $1, '{[1,)}', '{}', '#76ce90'
    from unnest($6::bigint[]) u, generate_series(1, 30) n
    on conflict do nothing`,
    [realm, reader.id, channels.slice(0, readersChannels), channels, channelCount, users.slice(1).map(({ id }) => id)],
  );
  const partners = users.slice(1, 201).map(({ id }) => id);
  await pool.query(
    `with conversation as (
      insert into conversations (realm_id, direct_key) select $1, $2::text || ',' || p from unnest($3::bigint[]) p returning id, direct_key)
    insert into participations (user_id, conversation_id, realm_id)
    select u::bigint, id, $1 from conversation, string_to_table(direct_key, ',') u`,
    [realm, reader.id, partners],
  );
  await pool.query("insert into clients (name) values ('bench') on conflict do nothing");
  await makeMaterial(stage, realm);
  const { rows: topics } = await pool.query<History["topics"][number]>(
    `select channel_id as channel, id as topic, name from topics
    where channel_id = any($1) and name like 'about %' order by id limit 500`,
    [channels.slice(0, readersChannels)],
  );
  const { rows: long } = await pool.query<{ topic: number }>("select id as topic from topics where channel_id = $1", [
    longChannel,
  ]);
  return {
    realm,
    reader,
    channels: channels.slice(0, readersChannels),
    broadChannel,
    topics,
    longTopic: { channel: longChannel, topic: long[0]?.topic ?? 0 },
    partners,
    messages: 0,
  };
}

/** Tables of sentences with their words, and of places in the intended proportions, so that filling only needs joins. */
async function makeMaterial({ pool }: Stage, realm: number): Promise<void> {
  await pool.query("create unlogged table bench_sentences (id int primary key, text text, html text, words tsvector)");
  await pool.query(
    `insert into bench_sentences select n - 1, text, text, words_of('english', text)
    from unnest($1::text[]) with ordinality as s (text, n)`,
    [sentences(sentenceCount)],
  );
  await pool.query("create unlogged table bench_places (id int primary key, conversation_id bigint, topic_id bigint)");
  // Half of all messages are in the first tenth of the topics.
  await pool.query(
    `insert into bench_places
    select row_number() over (order by copy, id) - 1, channel_id, id
    from (select id, channel_id, row_number() over (order by id) as place from topics where realm_id = $1 and name <> 'the long story') t,
      generate_series(1, case when place % 10 = 0 then 9 else 1 end) copy`,
    [realm],
  );
  await pool.query("create unlogged table bench_directs (id int primary key, conversation_id bigint, partner bigint)");
  await pool.query(
    `insert into bench_directs select row_number() over (order by id) - 1, id, split_part(direct_key, ',', 2)::bigint
    from conversations where realm_id = $1 and direct_key is not null`,
    [realm],
  );
  await pool.query("analyze bench_sentences, bench_places, bench_directs");
}

/** Inserts messages in bulk until there are this many. */
export async function fillTo(stage: Stage, history: History, messages: number): Promise<void> {
  const { pool, say } = stage;
  const begun = performance.now();
  const definitions = await takeIndexesAway(stage);
  for (let done = history.messages; done < messages;) {
    const upTo = Math.min(messages, done + chunk);
    await pool.query(insertChunk, insertValues(history, done, upTo));
    done = upTo;
    const perSecond = (done - history.messages) / ((performance.now() - begun) / 1000);
    const left = Math.round((messages - done) / perSecond);
    say(`${done.toLocaleString("en-US")} messages, ${figure(perSecond)}/s, about ${left} s to go`);
  }
  for (const [index, definition] of definitions.entries()) {
    say(`index ${index + 1} of ${definitions.length}: ${/index (\w+)/i.exec(definition)?.[1]}`);
    await pool.query(definition);
  }
  history.messages = messages;
  await pool.query("update search_progress set message_id = (select max(id) from messages)");
  await pool.query(
    `update channels c set first_message_id = (select min(id) from messages m where m.conversation_id = c.id) where realm_id = $1`,
    [history.realm],
  );
  await goAway(stage, history);
  await pool.query("vacuum analyze");
  await pool.query("checkpoint");
  say(`filled in ${Math.round((performance.now() - begun) / 1000)} s`);
}

const insertValues = (history: History, done: number, upTo: number): unknown[] => [
  history.realm,
  history.reader.id,
  done + 1,
  upTo,
  history.longTopic.channel,
  history.longTopic.topic,
];

const insertChunk = `with made as materialized (
    select n, nextval('messages_id_seq') as id, one.text || ' ' || two.text || case when n % ${rareEvery} = 7 then ' ${rareWord}' else '' end as text,
      one.words || two.words || case when n % ${rareEvery} = 7 then to_tsvector('english', '${rareWord}') else '' end as words,
      n % ${longTopicEvery} = 0 and n <= ${longTopicEvery * longTopicMessages} as is_long,
      n % ${directEvery} = 1 as is_direct, d.conversation_id as direct, d.partner, p.conversation_id, p.topic_id
    from generate_series($3::bigint, $4::bigint) n
      join bench_sentences one on one.id = (n * 7919) % ${sentenceCount}
      join bench_sentences two on two.id = (n * 104729 + 3) % ${sentenceCount}
      join bench_places p on p.id = (n * 15485863) % (select count(*) from bench_places)
      join bench_directs d on d.id = (n / ${directEvery}) % (select count(*) from bench_directs)
    order by n),
  messages as (
    insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, date_sent, content, rendered_content)
    select id, $1, case when is_direct then direct when is_long then $5 else conversation_id end,
      case when is_direct then null when is_long then $6 else topic_id end,
      case when is_direct then partner else $2 + 1 + n % ${userCount - 1} end, (select min(id) from clients),
      timestamptz '2024-01-01' + n * interval '8 seconds', text, '<p>' || text || '</p>'
    from made order by id),
  words as (
    insert into message_search (message_id, realm_id, vector)
    select id, $1, words || array_to_tsvector(array[realm_word($1)]) from made order by id)
  -- The reader is mentioned now and then, and keeps a few.
  insert into message_flags (user_id, message_id, realm_id, mentioned, starred)
  select $2, id, $1, n % 20000 <> 11, n % 20000 = 11 from made where n % 5000 = 11`;

/** Indexes that can be rebuilt after the fill: all except primary keys. */
export async function takeIndexesAway({ pool }: Stage): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in ('messages'::regclass, 'message_search'::regclass) and not indisprimary`,
  );
  await pool.query("alter system set maintenance_work_mem = '2GB'");
  await pool.query("alter system set max_wal_size = '16GB'");
  await pool.query("select pg_reload_conf()");
  for (const { name } of rows) await pool.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

/** The reader has read everything except the last month, or the newer half of a shorter history. */
async function goAway({ pool }: Stage, { realm, reader }: History): Promise<void> {
  await pool.query(
    `with last_seen as (
      select greatest(min(id), max(id) / 2) as id from messages
      where date_sent > (select max(date_sent) - interval '30 days' from messages) and realm_id = $1)
    update subscriptions s set read = int8multirange(int8range(1, l.id)) from last_seen l where s.user_id = $2`,
    [realm, reader.id],
  );
  await pool.query(
    `update participations p set read = int8multirange(int8range(1, (select max(id) from messages))) where p.user_id = $1`,
    [reader.id],
  );
}
