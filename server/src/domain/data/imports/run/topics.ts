/** Creates the topics: first the general ones and those of the source, then one for each thread, in the order of their roots. */
import { sql, type RawBuilder } from "kysely";
import { bigintArray, textArray } from "../../../../platform/db/binary-array.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { readTopic } from "../../../channels/topics/name.ts";
import type { Import } from "./import-context.ts";
import { remember, type MapKind } from "./map.ts";
import { TakenNames } from "./topic-names.ts";

const batchSize = 1000;

interface StagedTopic {
  n: number;
  name: string;
  known_id: number | null;
}

interface StagedThread extends StagedTopic {
  source_id: string;
  at: number;
  is_resolved: boolean;
}

/** A channel at a time, because names are compared within it. The checkpoint is its number among the places. */
export async function storeTopics(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId } = run;
  const { rows: channels } = await sql<{ n: number; source_id: string; conversation_id: number }>`
    select n, source_id, conversation_id from import_places
    where realm_id = ${realmId} and not is_direct and conversation_id is not null and n > ${checkpoint}
    order by n`.execute(db);
  for (const channel of channels) {
    await storeGeneral(run, channel);
    await storeThreads(run, channel);
    await run.batch("import topics", channel.n, async () => undefined);
    run.onProgress({ phase: "topics", done: channel.n, total: channels.at(-1)?.n ?? 0 });
  }
}

type Place = { n: number; source_id: string; conversation_id: number };

/**
 * The topic `k` that it has become earlier. Looked up row by row: while the map grows, the planner does not know how large it
 * is, and would read all of it for each row.
 */
const known = ({ realmId, source }: Import, kind: MapKind, sourceId: RawBuilder<unknown>, channel: Place) => sql`
  left join lateral (
    select topics.id from topics where topics.channel_id = ${channel.conversation_id} and topics.id = (
      select m.id from import_map m
      where m.realm_id = ${realmId} and m.source = ${source.name} and m.kind = ${kind} and m.source_id = ${sourceId})
  ) k on true`;

async function storeGeneral(run: Import, channel: Place): Promise<void> {
  const { db, realmId } = run;
  for (let done = 0; ;) {
    const { rows } = await sql<StagedTopic>`
      select t.n, t.name, k.id as known_id from import_topics t
        ${known(run, "topic", sql`t.channel_id || '/' || lower(t.name)`, channel)}
      where t.realm_id = ${realmId} and t.channel_id = ${channel.source_id} and t.topic_id is null and t.n > ${done}
      order by t.n limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    await run.batch("import topics", channel.n - 1, async (tx) => {
      const names = rows.map(({ name }) => readTopicLeniently(name));
      const ids = await findOrCreate(tx, run, channel.conversation_id, names);
      const topics = rows.map((row, index) => ({
        ...row,
        id: row.known_id ?? ids.get((names[index] ?? "").toLowerCase()) ?? 0,
      }));
      await assign(tx, run, "import_topics", topics);
      await remember(
        tx,
        run,
        "topic",
        topics.map(({ name, id }) => [topicKey(channel.source_id, name), id]),
      );
    });
    done = last.n;
  }
}

/** In the map, topics of the source are known by their channel and name. */
export const topicKey = (channelId: string, name: string): string => `${channelId}/${name.toLowerCase()}`;

export const readTopicLeniently = (name: string): string =>
  readTopic(name.replaceAll(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, ""));

/** Ids by name in lower case, as JavaScript writes it. */
async function findOrCreate(
  tx: Tx,
  { realmId }: Import,
  channelId: number,
  names: readonly string[],
): Promise<Map<string, number>> {
  const wanted = textArray(names);
  await sql`
    insert into topics (realm_id, channel_id, name)
    select ${realmId}, ${channelId}, name from unnest(${wanted}::text[]) with ordinality as wanted (name, n) order by n
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ name: string; id: number }>`
    select wanted.name, t.id from unnest(${wanted}::text[]) as wanted (name)
      join topics t on t.channel_id = ${channelId} and lower(t.name) = lower(wanted.name)`.execute(tx);
  return new Map(rows.map(({ name, id }) => [name.toLowerCase(), id]));
}

async function assign(
  tx: Tx,
  { realmId }: Import,
  table: "import_topics" | "import_threads",
  topics: readonly { n: number; id: number }[],
): Promise<void> {
  await sql`
    update ${sql.table(table)} t set topic_id = given.id
    from unnest(${bigintArray(topics.map(({ n }) => n))}::bigint[], ${bigintArray(topics.map(({ id }) => id))}::bigint[])
      as given (n, id)
    where t.realm_id = ${realmId} and t.n = given.n`.execute(tx);
}

async function storeThreads(run: Import, channel: Place): Promise<void> {
  const { db, realmId } = run;
  const taken = await takenNames(run, channel.conversation_id);
  for (let done = 0; ;) {
    const { rows } = await sql<StagedThread>`
      select t.n, t.name, t.source_id, t.at, t.is_resolved, k.id as known_id from import_threads t
        ${known(run, "thread", sql`t.source_id`, channel)}
      where t.realm_id = ${realmId} and t.channel_id = ${channel.source_id} and t.topic_id is null and t.n > ${done}
      order by t.n limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    await run.batch("import topics", channel.n - 1, async (tx) => {
      const topics: { n: number; id: number; source_id: string }[] = [];
      const created: (StagedThread & { chosen: string })[] = [];
      for (const row of rows)
        if (row.known_id === null)
          created.push({ ...row, chosen: taken.choose({ name: row.name, at: row.at, isResolved: row.is_resolved }) });
        else topics.push({ n: row.n, id: row.known_id, source_id: row.source_id });
      const ids = await insertThreads(tx, run, channel.conversation_id, created, taken);
      for (const [index, { n, source_id }] of created.entries()) topics.push({ n, source_id, id: ids[index] ?? 0 });
      await assign(tx, run, "import_threads", topics);
      await remember(
        tx,
        run,
        "thread",
        topics.map(({ source_id, id }) => [source_id, id]),
      );
    });
    done = last.n;
  }
}

async function takenNames(run: Import, channelId: number): Promise<TakenNames> {
  const rows = await run.db.selectFrom("topics").select("name").where("channel_id", "=", channelId).execute();
  const taken = new TakenNames();
  for (const { name } of rows) taken.take(name);
  return taken;
}

/** If somebody creates a topic of the same name at this moment, the thread takes the next name. */
async function insertThreads(
  tx: Tx,
  { realmId }: Import,
  channelId: number,
  threads: readonly (StagedThread & { chosen: string })[],
  taken: TakenNames,
): Promise<number[]> {
  const ids: number[] = Array.from({ length: threads.length }, () => 0);
  let left = threads.map((thread, index) => ({ thread, index, name: thread.chosen }));
  while (left.length > 0) {
    const { rows } = await sql<{ id: number; name: string }>`
      insert into topics (realm_id, channel_id, name)
      select ${realmId}, ${channelId}, name
      from unnest(${textArray(left.map(({ name }) => name))}::text[]) with ordinality as wanted (name, n) order by n
      on conflict do nothing returning id, name`.execute(tx);
    const made = new Map(rows.map(({ id, name }) => [name, id]));
    const again: typeof left = [];
    for (const { thread, index, name } of left) {
      const id = made.get(name);
      if (id !== undefined) ids[index] = id;
      else
        again.push({
          thread,
          index,
          name: taken.choose({ name: thread.name, at: thread.at, isResolved: thread.is_resolved }),
        });
    }
    left = again;
  }
  return ids;
}
