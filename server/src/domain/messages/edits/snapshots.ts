/** The snapshots of a message: as it was sent, and after each edit. */
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Snapshot } from "@skein/api/edits.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { contentHtmlDiff } from "../../../markdown/html-diff.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { invalidMessages, isReadable, readerJoins } from "../access.ts";
import { shownTopic } from "../../channels/topics/name.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { asEdits, editsOf, timestampOf, visibleEdits, changedFields, type Edit } from "./history.ts";

/**
 * Each snapshot repeats the text, even for a move. A history longer than this in total is cut to its newest part and
 * the message as it was sent; text edits alone stay below the limit.
 */
const maxHistoryLength = 10_000_000;

interface StoredMessage {
  is_channel: boolean;
  topic: string;
  content: string;
  rendered_content: string;
  sender_id: number;
  date_sent: Date;
  edits: Edit[] | null;
}

export async function listSnapshots(
  db: Db,
  user: User,
  messageId: number,
  form: { empty_topic_name: boolean },
): Promise<Snapshot[]> {
  const reader = { id: String(user.id), rank: String(user.rank) }; // our own numbers, safe to put into the SQL text
  const { rows } = await sql<StoredMessage>`
    select c.id is not null as is_channel, coalesce(${sql.raw(spelledTopic)}, '') as topic, m.content, m.rendered_content, m.sender_id,
      m.date_sent, ${sql.raw(editsOf)} as edits
    from messages m ${sql.raw(readerJoins(reader))} left join topics t on t.id = m.topic_id
    where m.id = ${messageId} and m.realm_id = ${user.realm_id} and ${sql.raw(isReadable(reader))}`.execute(db);
  const [message] = rows;
  if (!message) throw invalidMessages();
  if (user.realm.message_edit_history_visibility_policy === "none")
    throw new ApiError("Message edit history is disabled in this organization");
  const shown = (topic: string) => (message.is_channel ? shownTopic(topic, form) : "");
  const edits = visibleEdits(asEdits(message.edits), user.realm);
  return (await fromLastToFirst(message, edits, form, shown)).toReversed();
}

/**
 * The stored message is the current one, and each edit holds what it replaced, so the snapshots are built backwards.
 * Comparing texts is slow: other requests are served in between.
 */
async function fromLastToFirst(
  message: StoredMessage,
  edits: Edit[],
  form: { empty_topic_name: boolean },
  shown: (topic: string) => string,
): Promise<Snapshot[]> {
  let { topic, content, rendered_content } = message;
  const snapshots: Snapshot[] = [];
  let length = 0;
  for (const edit of edits.toReversed()) {
    const { topic: _, ...changed } = changedFields(edit, form);
    const after = { topic: shown(topic), content, rendered_content };
    const before = edit.prev_rendered_content;
    topic = edit.prev_topic ?? topic;
    content = edit.prev_content ?? content;
    rendered_content = before ?? rendered_content;
    length += after.content.length + after.rendered_content.length;
    if (length > maxHistoryLength) continue;
    if (before !== null) await yieldToOthers();
    snapshots.push({
      ...after,
      timestamp: timestampOf(edit),
      user_id: edit.user_id,
      ...changed,
      ...(before === null ? {} : { content_html_diff: contentHtmlDiff(before, after.rendered_content) }),
    });
  }
  const timestamp = toTimestamp(message.date_sent);
  return [...snapshots, { topic: shown(topic), content, rendered_content, timestamp, user_id: message.sender_id }];
}
