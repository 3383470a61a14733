/** The copies of deleted messages: rows as JSON, with those that belonged to them. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { mentionOf, rewriteMentions, type Renaming } from "./mentions.ts";
import { mergeSubmessages, type Submessage } from "./widgets.ts";

interface Edit {
  user_id: number | null;
  prev_content: string | null;
  prev_rendered_content: string | null;
}

interface Copy {
  sender_id: number;
  content: string;
  rendered_content: string;
  flags: { user_id: number }[];
  reactions: { user_id: number; reaction_type: string; emoji_code: string }[];
  edits: Edit[];
  submessages: Submessage[];
}

export async function mergeDeleted(tx: Tx, renaming: Renaming, limit: number): Promise<number> {
  const { realmId, from } = renaming;
  const person = sql`jsonb_build_array(jsonb_build_object('user_id', ${from.id}::bigint))`;
  const { rows } = await sql<{ id: number; message: Copy }>`
    select id, message from deleted_messages where realm_id = ${realmId}
      and ((message->>'sender_id')::bigint = ${from.id} or message->'flags' @> ${person} or message->'reactions' @> ${person}
        or message->'edits' @> ${person} or message->'submessages' @> jsonb_build_array(jsonb_build_object('sender_id', ${from.id}::bigint))
        or position(${mentionOf(renaming)} in message->>'rendered_content') > 0
        or exists (select from jsonb_array_elements(message->'edits') as edit
          where position(${mentionOf(renaming)} in edit->>'prev_rendered_content') > 0))
    order by id limit ${limit} for update`.execute(tx);
  for (const { id, message } of rows)
    await sql`update deleted_messages set message = ${JSON.stringify(mergeCopy(message, renaming))}::jsonb
      where id = ${id}`.execute(tx);
  return rows.length;
}

function mergeCopy(copy: Copy, renaming: Renaming): Copy {
  const { from, into } = renaming;
  const mine = <T extends { user_id: number | null }>(row: T): T =>
    row.user_id === from.id ? { ...row, user_id: into.id } : row;
  const { content, html } = rewriteMentions({ content: copy.content, html: copy.rendered_content }, renaming);
  const changed = new Map(mergeSubmessages(copy.submessages, renaming).map((one) => [one.id, one]));
  return {
    ...copy,
    sender_id: copy.sender_id === from.id ? into.id : copy.sender_id,
    content,
    rendered_content: html ?? copy.rendered_content,
    // Of two rows of the same person the own one stays.
    flags: once(copy.flags.toSorted(ownFirst(from.id)).map(mine), ({ user_id }) => String(user_id)),
    reactions: once(copy.reactions.toSorted(ownFirst(from.id)).map(mine), (reaction) =>
      [reaction.user_id, reaction.reaction_type, reaction.emoji_code].join(),
    ),
    edits: copy.edits.map((edit) => mine(rewriteEdit(edit, renaming))),
    submessages: copy.submessages.map((one) => changed.get(one.id) ?? one),
  };
}

const ownFirst =
  (from: number) =>
  (a: { user_id: number }, b: { user_id: number }): number =>
    Number(a.user_id === from) - Number(b.user_id === from);

const once = <T>(rows: T[], key: (row: T) => string): T[] => [
  ...new Map(rows.toReversed().map((row) => [key(row), row])).values(),
];

export function rewriteEdit<T extends Pick<Edit, "prev_content" | "prev_rendered_content">>(
  edit: T,
  renaming: Renaming,
): T {
  if (edit.prev_content === null || edit.prev_rendered_content === null) return edit;
  const { content, html } = rewriteMentions({ content: edit.prev_content, html: edit.prev_rendered_content }, renaming);
  return { ...edit, prev_content: content, prev_rendered_content: html };
}
