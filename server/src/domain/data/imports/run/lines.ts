/** What the import writes next: staged messages, and lines of the Notification Bot about threads. */
import { sql } from "kysely";
import type { Import } from "./import-context.ts";
import { lineKinds } from "./order.ts";
import type { StagedMessage } from "./staging.ts";

const batchSize = 1000;

interface LineRow {
  id: number;
  kind: number;
  place_id: string;
  is_direct: boolean;
  at: number;
  topic_id: number | null;
  /** The topic's name as it was written; null in a thread, whose topic has one spelling. */
  topic: string | null;
  /** Of the message that it is, or is about. */
  source_id: string | null;
  sender_id: string | null;
  data: string | null;
  thread_source_id: string | null;
  /** Of a line about a thread: its topic, and the number of its replies. */
  thread_topic: string | null;
  thread_replies: number | null;
  /** Of a line about a reply: the reply's own id. */
  target_id: number | null;
}

export type Line = Omit<LineRow, "data"> & { message: StagedMessage | undefined };

const [message, thread, broadcast] = [lineKinds.message, lineKinds.thread, lineKinds.broadcast].map((kind) =>
  sql.lit(kind),
);

export async function listLines({ db, realmId }: Import, after: number): Promise<Line[]> {
  const { rows } = await sql<LineRow>`
    select o.id, o.kind, coalesce(m.place_id, t.channel_id) as place_id, coalesce(m.is_direct, false) as is_direct,
      coalesce(m.at, t.at) as at,
      case when o.kind in (${thread}, ${broadcast}) or t.n is null then g.topic_id else t.topic_id end as topic_id,
      case when o.topic_n is null then null when o.kind = ${message} then coalesce(m.topic, g.name) else g.name end as topic,
      m.source_id, m.sender_id, m.data, t.source_id as thread_source_id, topics.name as thread_topic,
      t.replies as thread_replies, target.id as target_id
    from (select * from import_order where realm_id = ${realmId} and id > ${after} order by id limit ${batchSize}) as o
      left join import_messages m on m.realm_id = ${realmId} and m.n = o.message_n
      left join import_threads t on t.realm_id = ${realmId} and t.n = o.thread_n
      left join import_topics g on g.realm_id = ${realmId} and g.n = o.topic_n
      left join topics on o.kind in (${thread}, ${broadcast}) and topics.id = t.topic_id
      left join import_order target on o.kind = ${broadcast} and target.realm_id = ${realmId}
        and target.message_n = o.message_n and target.kind = ${message}
    order by o.id`.execute(db);
  return rows.map(({ data, ...row }) => ({
    ...row,
    message: data === null ? undefined : (JSON.parse(data) as StagedMessage), // as it was staged
  }));
}
