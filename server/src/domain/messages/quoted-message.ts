/** A message that the server itself refers to in a message of one of its bots: where it is, and a quotation. */
import { sql } from "kysely";
import type { User } from "../../identity/account.ts";
import { directUrl, topicUrl } from "../../markdown/narrow-url.ts";
import type { Db } from "../../platform/db/connect.ts";
import { spelledTopic } from "../channels/topics/spelling.ts";
import { isReadable, readerJoins } from "./access.ts";

interface Person {
  id: number;
  full_name: string;
}

export interface QuotedMessage {
  id: number;
  content: string;
  sender: Person;
  /** Null for a direct message, which has `parties`. */
  channel: { stream_id: number; name: string } | null;
  topic: string;
  parties: Person[];
  /** A poll or a to-do list, which has no text to quote. */
  widget: "poll" | "to-do list" | null;
}

/** The message as it is now; undefined if the user may not read it. */
export async function findQuotedMessage(db: Db, user: User, id: number): Promise<QuotedMessage | undefined> {
  const reader = { id: String(user.id), rank: String(user.rank) }; // our own numbers, safe to put into the SQL text
  const { rows } = await sql<QuotedMessage & { widget_content: string | null }>`
    select m.id, m.content, json_build_object('id', sender.id, 'full_name', sender.full_name) as sender,
      case when c.id is not null then json_build_object('stream_id', c.id, 'name', c.name) end as channel,
      coalesce(${sql.raw(spelledTopic)}, '') as topic,
      coalesce((
        select json_agg(json_build_object('id', party.id, 'full_name', party.full_name) order by party.id)
        from participations taking join users party on party.id = taking.user_id
        where c.id is null and taking.conversation_id = m.conversation_id), '[]') as parties,
      (select part.content from submessages part where part.message_id = m.id and part.msg_type = 'widget'
        order by part.id limit 1) as widget_content
    from messages m ${sql.raw(readerJoins(reader))}
      join users sender on sender.id = m.sender_id
      left join topics t on t.id = m.topic_id
    where m.id = ${id} and m.realm_id = ${user.realm_id} and ${sql.raw(isReadable(reader))}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { widget_content, ...message } = row;
  return { ...message, widget: widgetOf(widget_content) };
}

function widgetOf(content: string | null): QuotedMessage["widget"] {
  if (content === null) return null;
  return /"widget_type"\s*:\s*"todo"/.test(content) ? "to-do list" : "poll";
}

/** The path of the message, as the reader's client shows it. */
export function pathTo({ id, channel, topic, parties }: QuotedMessage, reader: Pick<User, "id">): string {
  if (channel) return `${topicUrl(channel, topic)}/near/${id}`;
  const others = parties.filter((party) => party.id !== reader.id);
  return `${directUrl(others.length > 0 ? others : parties)}/near/${id}`;
}

/** The text as a quotation, in which nobody is mentioned aloud. The fence is longer than any in the text. */
export function quotation(content: string): string {
  const longest = [...content.matchAll(/^\s*(`{3,})/gm)].reduce(
    (length, [, fence = ""]) => Math.max(length, fence.length),
    2,
  );
  const fence = "`".repeat(longest + 1);
  return `${fence}quote\n${content}\n${fence}`;
}
