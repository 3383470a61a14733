/** Gives a message a new text: keeps the old one, and updates the flags of the users who were sent the message. */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Composed } from "../send/compose.ts";
import type { MessageRow } from "../send/locked-message.ts";
import { accessMentions, mentionsAnybody, type Mentions } from "../send/mentions.ts";
import { traitsOf } from "../traits.ts";
import { revisitMentioned } from "./notification-revisits.ts";
import { planPreviews } from "../previews/jobs.ts";
import { reindexMessage } from "../search/index-messages.ts";

const nobody: Mentions = { users: [], channel: false, participants: [] };

/** The event's fields that describe the text. */
export interface TextChange {
  mentions_channel: boolean;
  orig_content: string;
  orig_rendered_content: string;
  content: string;
  rendered_content: string;
  is_me_message: boolean;
}

export async function changeText(tx: Tx, message: MessageRow, composed: Composed, editedAt: Date): Promise<TextChange> {
  const { sender: editor, content, rendered, origin } = composed;
  const { id, realm_id, conversation_id, topic } = message;
  const place = topic === null ? undefined : { channelId: conversation_id, topic };
  const mentions = mentionsAnybody(rendered) ? await accessMentions(tx, editor, rendered, place) : nobody;
  const is_me_message = content.startsWith("/me ");
  await tx
    .insertInto("message_edits")
    .values({
      realm_id,
      message_id: id,
      user_id: editor.id,
      edited_at: editedAt,
      prev_content: message.content,
      prev_rendered_content: message.rendered_content,
    })
    .execute();
  await tx
    .updateTable("messages")
    .set({
      content,
      rendered_content: rendered.html,
      is_me_message,
      mentions_channel: mentions.channel,
      traits: traitsOf(rendered),
    })
    .where("id", "=", id)
    .execute();
  if (place && mentions.users.length > 0) await revisitMentioned(tx, message, mentions.users);
  await changeFlags(tx, message, mentions, rendered.userIdsWithAlertWords);
  await planPreviews(tx, { id, realm_id, content, rendered, origin });
  await reindexMessage(tx, id);
  return {
    mentions_channel: mentions.channel,
    orig_content: message.content,
    orig_rendered_content: message.rendered_content,
    content,
    rendered_content: rendered.html,
    is_me_message,
  };
}

/**
 * Only users who were sent the message have flags on it: a mention does not give access. A bot that was called stays
 * called.
 */
async function changeFlags(tx: Tx, message: MessageRow, mentions: Mentions, alerted: number[]): Promise<void> {
  const { id, realm_id, conversation_id, origin_id } = message;
  const { users, participants } = mentions;
  const origin = origin_id ?? conversation_id;
  const receivers =
    message.topic === null
      ? sql`select user_id from participations where conversation_id = ${conversation_id}`
      : sql`select user_id from subscriptions where channel_id = ${origin} and ${id}::bigint <@ received`;
  const concerned = [...new Set([...users, ...participants, ...alerted])];
  await sql`
    update message_flags set mentioned = mentioned and user_id = any(${users}::bigint[]), topic_wildcard_mentioned = false,
      has_alert_word = false
    where message_id = ${id} and (mentioned or topic_wildcard_mentioned or has_alert_word)`.execute(tx);
  if (concerned.length === 0) return;
  await sql`
    insert into message_flags (user_id, message_id, realm_id, mentioned, topic_wildcard_mentioned, has_alert_word)
    select user_id, ${id}, ${realm_id}, user_id = any(${users}::bigint[]), user_id = any(${participants}::bigint[]),
      user_id = any(${alerted}::bigint[])
    from (${receivers}) as receiver where user_id = any(${concerned}::bigint[]) order by user_id
    on conflict (user_id, message_id) do update set mentioned = excluded.mentioned,
      topic_wildcard_mentioned = excluded.topic_wildcard_mentioned, has_alert_word = excluded.has_alert_word`.execute(
    tx,
  );
}
