import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { accessMessageForChange, type MessageInHand } from "../messages/in-hand.ts";
import { demandWidgetData } from "./widget-data.ts";

/** More make a message too large to be fetched together with others. */
const maxSubmessages = 5000;

interface Found {
  /** The sender's own first piece. */
  first: string | null;
  count: number;
}

/** The message, for somebody who reads it and may add this to it. Only its sender begins something. */
export async function accessMessageForAdding(
  tx: Tx,
  user: User,
  messageId: number,
  content: string,
): Promise<MessageInHand> {
  const data = parse(content);
  const inHand = await accessMessageForChange(tx, user, messageId);
  const { message } = inHand;
  const { rows } = await sql<Found>`
    select count(*) as count,
      (array_agg(content order by id) filter (where sender_id = ${message.sender_id}))[1] as first
    from submessages where message_id = ${message.id}`.execute(tx);
  const { first = null, count = 0 } = rows[0] ?? {};
  const isAuthor = message.sender_id === user.id;
  if (!isAuthor && first === null) throw new ApiError("You cannot attach a submessage to this message.");
  if (count >= maxSubmessages) throw new ApiError("Nothing more can be attached to this message.");
  if (first !== null) demandWidgetData(first, data, isAuthor);
  return inHand;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new ApiError("Invalid json for submessage");
  }
}
