/** A message as it was sent, and as it was after each edit. */
import { setImmediate as othersTurn } from "node:timers/promises";
import type { Snapshot } from "@skein/api/edits.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import { contentHtmlDiff } from "../../markdown/html-diff.ts";
import type { Db } from "../../platform/db/connect.ts";
import { invalidMessages, isReadable, readerJoins } from "../messages/access.ts";
import { shownTopic, toTimestamp } from "../messages/object.ts";
import { asEdits, editsOf, timestampOf, visibleEdits, whatChanged, type Edit } from "./history.ts";

/**
 * Each snapshot repeats what the message said, moves included. What is longer than this together is told of its newest
 * part, and of the message as it was sent; edits of text alone stay below it.
 */
const longestHistory = 10_000_000;

interface Found {
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
  const reader = { id: String(user.id), rank: String(user.rank) }; // numbers of our own, which may stand in the text
  const { rows } = await sql<Found>`
    select c.id is not null as is_channel, coalesce(t.name, '') as topic, m.content, m.rendered_content, m.sender_id,
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

/** What is stored is what the message is now; each edit tells what it was before. Others are served between comparisons. */
async function fromLastToFirst(
  message: Found,
  edits: Edit[],
  form: { empty_topic_name: boolean },
  shown: (topic: string) => string,
): Promise<Snapshot[]> {
  let { topic, content, rendered_content } = message;
  const snapshots: Snapshot[] = [];
  let length = 0;
  for (const edit of edits.toReversed()) {
    const { topic: _, ...changed } = whatChanged(edit, form);
    const after = { topic: shown(topic), content, rendered_content };
    const before = edit.prev_rendered_content;
    topic = edit.prev_topic ?? topic;
    content = edit.prev_content ?? content;
    rendered_content = before ?? rendered_content;
    length += after.content.length + after.rendered_content.length;
    if (length > longestHistory) continue;
    if (before !== null) await othersTurn();
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
