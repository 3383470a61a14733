/**
 * Maintains the index of the words of messages. Sending does not wait for it: a worker follows a few seconds behind, up
 * to the id below which no message can appear any more, and newer messages are searched without an index.
 */
import { sql, type RawBuilder } from "kysely";
import type { Chore } from "../../../jobs/chore.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { observation, type Observation } from "../flags/settled-ids.ts";

const batchSize = 1000;
/** A worker has other chores, too; it continues at the next run. */
const maxMilliseconds = 500;

/** The words of a message, from its HTML and the language and id of its organization. */
export const wordsOfMessage = (
  language: RawBuilder<unknown>,
  html: RawBuilder<unknown>,
  realmId: RawBuilder<unknown>,
) => sql`words_of(${language}, ${html}) || array_to_tsvector(array[realm_word(${realmId})])`;

/** The words of a message `m` of an organization `r`. */
const vector = wordsOfMessage(sql`r.search_language`, sql`m.rendered_content`, sql`m.realm_id`);

/** Indexes the next messages; returns whether there are more up to that id. */
async function indexBatch(db: Db, upTo: number): Promise<boolean> {
  return transaction(db, "index messages", async (tx) => {
    const { rows } = await sql<{ count: number }>`
      -- While one worker is indexing, the others have nothing to do here.
      with done as materialized (select message_id from search_progress for update skip locked),
      -- A subquery, because PostgreSQL would join all messages from the first one on with the one row.
      batch as materialized (
        select m.id, m.realm_id, ${vector} as vector from messages m join realms r on r.id = m.realm_id
        where m.id > (select message_id from done) and m.id <= ${upTo} order by m.id limit ${batchSize} for key share of m),
      -- The words of an edited message are stored already.
      stored as (
        insert into message_search (message_id, realm_id, vector) select id, realm_id, vector from batch
        on conflict do nothing),
      progress as (
        update search_progress p set message_id = greatest(p.message_id, case
          when (select count(*) from batch) < ${batchSize} then ${upTo} else (select max(id) from batch) end)
        from done)
      select count(*) from batch`.execute(tx);
    return rows[0]?.count === batchSize;
  });
}

/** Must run after the content of a message has changed. */
export async function reindexMessage(tx: Tx, messageId: number): Promise<void> {
  await sql`
    insert into message_search (message_id, realm_id, vector)
    select m.id, m.realm_id, ${vector} from messages m join realms r on r.id = m.realm_id where m.id = ${messageId}
    on conflict (message_id) do update set vector = excluded.vector`.execute(tx);
}

export const indexMessages: Chore = {
  name: "indexing messages",
  everyMilliseconds: 1000,
  run: async ({ db, memory }) => {
    const known = memory.settledIds.search;
    const { rows } = await sql<Observation>`${sql.raw(observation)}`.execute(db);
    if (rows[0]) known.observe(rows[0]);
    const startedAt = performance.now();
    let isMore = known.newest > 0;
    while (isMore && performance.now() - startedAt < maxMilliseconds) isMore = await indexBatch(db, known.newest);
  },
};
