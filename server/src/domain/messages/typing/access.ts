import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { invalidMessages, isReadable, readerJoins } from "../access.ts";
import { settingOf } from "../../people/settings/state.ts";

/** Throws if the user has disabled sending typing notifications. */
export function accessTyping(user: User, kind: "direct" | "channel"): void {
  const setting = kind === "direct" ? "send_private_typing_notifications" : "send_stream_typing_notifications";
  if (!settingOf(user, setting)) throw new ApiError(`User has disabled typing notifications for ${kind} messages`);
}

export interface EditedMessage {
  conversation_id: number;
  /** Null for a direct message. */
  topic: string | null;
}

interface FoundMessage extends EditedMessage {
  sender_id: number;
  age_seconds: number;
}

/** The message, for a user who may edit its text. */
export async function accessMessageForTyping(db: Db, user: User, id: number): Promise<EditedMessage> {
  const reader = { id: String(user.id), rank: String(user.rank) }; // our own numbers, safe to put into the SQL text
  const { rows } = await sql<FoundMessage>`
    select m.sender_id, m.conversation_id, ${sql.raw(spelledTopic)} as topic, extract(epoch from now() - m.date_sent)::float8 as age_seconds
    from messages m left join topics t on t.id = m.topic_id ${sql.raw(readerJoins(reader))}
    where m.realm_id = ${user.realm_id} and m.id = ${id} and ${sql.raw(isReadable(reader))}`.execute(db);
  const [message] = rows;
  if (!message) throw invalidMessages();
  if (message.sender_id !== user.id) throw new ApiError("You don't have permission to edit this message");
  const { allow_message_editing, message_content_edit_limit_seconds: limit } = user.realm;
  if (!allow_message_editing) throw new ApiError("Your organization has turned off message editing");
  if (limit !== null && message.age_seconds > limit)
    throw new ApiError("The time limit for editing this message has passed");
  return message;
}
