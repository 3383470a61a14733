import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export interface MergeCounts {
  messages: number;
  conversations: number;
  channels: number;
  reactions: number;
  files: number;
}

/** What a merge of this account would move. */
export async function countMerge(db: Db, fromId: number): Promise<MergeCounts> {
  const { rows } = await sql<MergeCounts>`
    select (select count(*) from messages where sender_id = ${fromId}) as messages,
      (select count(*) from participations where user_id = ${fromId}) as conversations,
      (select count(*) from subscriptions where user_id = ${fromId} and active) as channels,
      (select count(*) from reactions where user_id = ${fromId}) as reactions,
      (select count(*) from attachments where owner_id = ${fromId}) as files`.execute(db);
  const [row] = rows;
  if (!row) throw new Error("unreachable: a select without from returns a row");
  return row;
}
