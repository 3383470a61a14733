/** Gives messages their new sender, and rewrites mentions, in batches. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { reindexMessage } from "../../messages/search/index-messages.ts";
import { rewriteEdit } from "./deleted-messages.ts";
import { mentionOf, rewriteMentions, type Renaming } from "./mentions.ts";
import type { Pair } from "./pair.ts";

/** Returns how many there were, up to `limit`. The words of a message do not include its sender, so its index stays. */
export async function moveMessages(tx: Tx, { from, into }: Pair, limit: number): Promise<number> {
  const { rows } = await sql`
    update messages set sender_id = ${into.id} where id = any(array(
      select id from messages where sender_id = ${from.id} order by id limit ${limit} for update)) returning 1`.execute(
    tx,
  );
  return rows.length;
}

export interface Stretch {
  /** Not included. */
  after: number;
  last: number;
}

interface Row {
  id: number;
  content: string;
  html: string;
}

/** Rewrites mentions in the messages with these ids; returns how many mentioned the account. */
export async function rewriteMessages(tx: Tx, renaming: Renaming, { after, last }: Stretch): Promise<number> {
  const { rows } = await sql<Row>`
    select id, content, rendered_content as html from messages
    where id > ${after} and id <= ${last} and realm_id = ${renaming.realmId}
      and position(${mentionOf(renaming)} in rendered_content) > 0 for update`.execute(tx);
  return rewriteAll(tx, renaming, rows);
}

async function rewriteAll(tx: Tx, renaming: Renaming, rows: Row[]): Promise<number> {
  for (const row of rows) {
    const { content, html } = rewriteMentions(row, renaming);
    await sql`update messages set content = ${content}, rendered_content = ${html} where id = ${row.id}`.execute(tx);
    await reindexMessage(tx, row.id);
  }
  return rows.length;
}

/** The same for what these edits replaced, and for the edited messages, which may mention the account since. */
export async function rewriteEdits(tx: Tx, renaming: Renaming, { after, last }: Stretch): Promise<number> {
  const mention = mentionOf(renaming);
  const { rows: messages } = await sql<Row>`
    select m.id, m.content, m.rendered_content as html from messages m
    where m.id in (select e.message_id from message_edits e
        where e.id > ${after} and e.id <= ${last} and e.realm_id = ${renaming.realmId} and e.prev_content is not null)
      and position(${mention} in m.rendered_content) > 0 order by m.id for update`.execute(tx);
  const { rows: edits } = await sql<{ id: number; prev_content: string; prev_rendered_content: string }>`
    select id, prev_content, prev_rendered_content from message_edits
    where id > ${after} and id <= ${last} and realm_id = ${renaming.realmId}
      and position(${mention} in prev_rendered_content) > 0 for update`.execute(tx);
  for (const edit of edits) {
    const { prev_content, prev_rendered_content } = rewriteEdit(edit, renaming);
    await sql`update message_edits set prev_content = ${prev_content}, prev_rendered_content = ${prev_rendered_content}
      where id = ${edit.id}`.execute(tx);
  }
  return edits.length + (await rewriteAll(tx, renaming, messages));
}
