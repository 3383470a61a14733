/** The organization for the measurements: small at first, grown to its full size while the server runs. */
import { join } from "node:path";
import { readConfig } from "../../server/src/config.ts";
import { startBrowserSession } from "../../server/src/domain/people/auth/browser-sessions.ts";
import { avatarFile } from "../../server/src/domain/people/users/avatar.ts";
import { transaction } from "../../server/src/platform/db/transaction.ts";
import { FolderStore } from "../../server/src/platform/file-store.ts";
import { addChannels, addUsers, makeRealm, settle, subscribe } from "../organization.ts";
import type { Account } from "../request.ts";
import type { Stage } from "../stage.ts";
import { firstNames, lastNames } from "./names.ts";
import { makeTexts } from "./texts.ts";
import type { CookieParam } from "./window.ts";

const textCount = 400;
const talkedIn = 25;
const topicsEach = 8;
const messagesEach = 130;
const unreadEach = 3;

export interface Sizes {
  users: number;
  channels: number;
  /** The longest topic's. */
  messages: number;
}

export interface Topic {
  channel: number;
  id: number;
  name: string;
}

export interface Organization {
  realm: number;
  reader: Account;
  /** Who write what the reader reads. */
  colleagues: Account[];
  /** Who writes nothing. */
  bystander: Account;
  /** Eight per channel, each with a few unread messages. */
  topics: Topic[];
  longTopic: Topic;
  site: string;
}

export async function makeSmall(stage: Stage, { users, channels, messages }: Sizes): Promise<Organization> {
  const realm = await makeRealm(stage);
  const people = await addUsers(stage, realm, users);
  await nameUsers(stage, realm);
  const all = await addChannels(stage, realm, channels);
  const [reader] = people;
  const bystander = people.at(-1);
  const [longChannel, ...others] = all;
  if (!reader || !bystander || longChannel === undefined) throw new Error("the organization has no reader or channel");
  await subscribe(stage, realm, people.slice(0, 20), all.slice(0, 100));
  await stage.pool.query("insert into clients (name) values ('bench') on conflict do nothing");
  await makeMaterial(stage);
  const [longTopic] = await addTopics(stage, realm, [longChannel], ["the long story"]);
  const names = Array.from({ length: topicsEach }, (_, index) => `subject ${index + 1}`);
  const topics = await addTopics(stage, realm, others.slice(0, talkedIn), names);
  if (!longTopic) throw new Error("the long topic was not created");
  const senders = people.slice(1, 40).map(({ id }) => id);
  await givePictures(stage, senders);
  await addMessages(stage, realm, senders, [longTopic], messages);
  await addMessages(stage, realm, senders, topics, messagesEach);
  await stage.pool.query(
    "update subscriptions set read = int8multirange(int8range(1, (select max(id) + 1 from messages))) where realm_id = $1",
    [realm],
  );
  await addMessages(stage, realm, senders, topics.slice(0, talkedIn * 2), unreadEach);
  await stage.pool.query("update search_progress set message_id = (select max(id) from messages)");
  await stage.pool.query(
    "update channels c set first_message_id = (select min(id) from messages m where m.conversation_id = c.id) where realm_id = $1",
    [realm],
  );
  await settle(stage);
  const { url } = await stage.serve("api,relay");
  return { realm, reader, colleagues: people.slice(1, 20), bystander, topics, longTopic, site: url };
}

/** More people and channels than anyone scrolls through. */
export async function grow(stage: Stage, { realm }: Organization, from: Sizes, to: Sizes): Promise<void> {
  await stage.pool.query(
    `insert into users (realm_id, delivery_email, full_name)
    select $1, 'user' || n || '@example.com', 'nobody' from generate_series($2::int, $3::int) n`,
    [realm, from.users + 1, to.users],
  );
  await nameUsers(stage, realm);
  await addChannels(stage, realm, to.channels - from.channels);
  await settle(stage);
}

async function nameUsers({ pool }: Stage, realm: number): Promise<void> {
  await pool.query(
    `update users set full_name =
      ($2::text[])[1 + id % cardinality($2::text[])] || ' ' || ($3::text[])[1 + id / cardinality($2::text[]) % cardinality($3::text[])]
    where realm_id = $1`,
    [realm, firstNames, lastNames],
  );
}

/** A dot: every picture costs the same to show. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** The pictures of people who write are stored here. */
async function givePictures({ pool, dir }: Stage, users: readonly number[]): Promise<void> {
  const { rows } = await pool.query<{ avatar_key: string }>(
    "update users set avatar_source = 'U', avatar_key = md5(id::text) where id = any($1) returning avatar_key",
    [users],
  );
  const files = new FolderStore(join(dir, "files"));
  for (const { avatar_key } of rows) {
    for (const size of ["small", "medium"] as const) {
      await files.put(`avatars/${avatarFile(avatar_key, size)}`, picture, "image/png");
    }
  }
}

async function makeMaterial({ pool }: Stage): Promise<void> {
  const texts = makeTexts(textCount);
  await pool.query("create unlogged table bench_texts (id int primary key, text text, html text)");
  await pool.query(
    "insert into bench_texts select n - 1, text, html from unnest($1::text[], $2::text[]) with ordinality t (text, html, n)",
    [texts.map(({ text }) => text), texts.map(({ html }) => html)],
  );
}

async function addTopics(
  { pool }: Stage,
  realm: number,
  channels: readonly number[],
  names: readonly string[],
): Promise<Topic[]> {
  const { rows } = await pool.query<Topic>(
    `insert into topics (realm_id, channel_id, name)
    select $1, c, n from unnest($2::bigint[]) c, unnest($3::text[]) n
    returning id, channel_id as channel, name`,
    [realm, channels, names],
  );
  return rows.toSorted((a, b) => a.channel - b.channel || a.id - b.id);
}

/** Fills each topic with this many messages, a few in a row by the same person, over the last weeks. */
async function addMessages(
  { pool }: Stage,
  realm: number,
  senders: readonly number[],
  topics: readonly Topic[],
  count: number,
): Promise<void> {
  await pool.query(
    `insert into messages (id, realm_id, conversation_id, topic_id, sender_id, client_id, date_sent, content, rendered_content)
    select nextval('messages_id_seq'), $1, p.channel, p.topic, ($2::bigint[])[1 + (n / 3 + p.topic) % cardinality($2::bigint[])],
      (select min(id) from clients), now() - ($5::int - n) * interval '80 seconds', t.text, t.html
    from generate_series(1, $5::int) n cross join unnest($3::bigint[], $4::bigint[]) p (channel, topic)
      join bench_texts t on t.id = (n * 7919 + p.topic) % ${textCount}
    order by n`,
    [realm, senders, topics.map(({ channel }) => channel), topics.map(({ id }) => id), count],
  );
}

/** The session cookie of a signed-in browser. */
export async function signIn({ db }: Stage, { realm, reader, site }: Organization): Promise<CookieParam> {
  const account = { id: reader.id, realm_id: realm };
  const { token } = await transaction(db, "sign in", (tx) =>
    startBrowserSession(tx, readConfig({}), account, { ip: "127.0.0.1", userAgent: "bench" }),
  );
  return { name: "sessionid", value: token, url: site };
}

/** The newest messages of a topic, newest first. */
export async function newestIds({ pool }: Stage, { id }: Topic, count: number): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    "select id from messages where topic_id = $1 order by id desc limit $2",
    [id, count],
  );
  return rows.map((row) => row.id);
}
