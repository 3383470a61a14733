import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessMessageForChange, type LockedMessage } from "../send/locked-message.ts";
import { checkWidgetData } from "./widget-data.ts";

/** With more, a message would be too large to be fetched together with others. */
const maxSubmessages = 5000;

interface SubmessageCount {
  /** The sender's own first submessage. */
  first: string | null;
  count: number;
}

/** The message, for a reader who may add this submessage. Only its sender may start a widget. */
export async function accessMessageForAdding(
  tx: Tx,
  user: User,
  messageId: number,
  content: string,
): Promise<LockedMessage> {
  const data = parse(content);
  const locked = await accessMessageForChange(tx, user, messageId);
  const { message } = locked;
  const { rows } = await sql<SubmessageCount>`
    select count(*) as count,
      (array_agg(content order by id) filter (where sender_id = ${message.sender_id}))[1] as first
    from submessages where message_id = ${message.id}`.execute(tx);
  const { first = null, count = 0 } = rows[0] ?? {};
  const isAuthor = message.sender_id === user.id;
  if (!isAuthor && first === null) throw new ApiError("You cannot attach a submessage to this message.");
  if (count >= maxSubmessages) throw new ApiError("This message has too many submessages. No more can be added.");
  if (first !== null) checkWidgetData(first, data, isAuthor);
  return locked;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new ApiError("Invalid json for submessage");
  }
}
