/**
 * A reader's flags on a message, derived from what is stored: ranges of ids on the subscription or participation and on
 * the mute of its sender, the sender's own mark on the message, and a sparse row for the rest. The fragments are for
 * statements that have joined the rows that decide about a reader (see messages/access.ts) and the reader's row in
 * message_flags as `f`.
 */
import { messageFlags, type MessageFlag } from "@skein/api/flags.ts";
import type { ReaderSql } from "../../channels/access.ts";
import { isSilenced } from "../muted-users/silenced.ts";

export const flagsJoin = ({ id }: ReaderSql): string =>
  `left join message_flags f on f.user_id = ${id} and f.message_id = m.id`;

/** Whether the message was sent to the reader, rather than found in a channel's history. */
export const isReceived = "(c.id is null or coalesce(m.id <@ origin.received, false))";

/**
 * Whether a message can be unread for the reader: it was sent to them, they are subscribed to the channel it is in now,
 * and they already were when it was moved there.
 */
const canBeUnread = `(s.active and m.id <@ origin.received and (m.entered_at is null or m.entered_at <@ s.received))`;

/** Messages of channels the reader is not subscribed to, and those the reader was not sent, count as read. */
export const isRead = ({ id }: ReaderSql): string => `(
  (m.sender_id = ${id} and m.read_by_sender)
  or case when c.id is null then m.id <@ p.read
    else m.id <@ origin.read or not coalesce(${canBeUnread}, false) end
  or ${isSilenced({ id })})`;

/** One boolean column per flag that is stored or derived. */
export const flagColumns = (reader: ReaderSql): string => `
  ${isRead(reader)} as read,
  coalesce(f.starred, false) as starred,
  coalesce(f.collapsed, false) as collapsed,
  coalesce(f.mentioned, false) as mentioned,
  c.id is not null and m.mentions_channel and ${isReceived} as stream_wildcard_mentioned,
  coalesce(f.topic_wildcard_mentioned, false) as topic_wildcard_mentioned,
  coalesce(f.has_alert_word, false) as has_alert_word,
  not ${isReceived} as historical`;

export type FlagRow = Record<Exclude<MessageFlag, "wildcard_mentioned">, boolean>;

export function flagNames(row: FlagRow): MessageFlag[] {
  const wildcard_mentioned = row.stream_wildcard_mentioned || row.topic_wildcard_mentioned;
  const all: Record<MessageFlag, boolean> = { ...row, wildcard_mentioned };
  return messageFlags.filter((flag) => all[flag]);
}
