/**
 * Who may fetch a file: its owner, and whoever can read a message that carries it, by the one rule for messages. It is
 * asked anew each time, so that moving or deleting a message, or leaving a channel, has its effect on the file at once.
 * Nobody learns whether a file they may not fetch exists.
 */
import { sql, type RawBuilder, type Selectable } from "kysely";
import { ApiError } from "../../errors.ts";
import type { Realm, User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { AttachmentsTable } from "../../platform/db/schema.ts";
import type { ReaderSql } from "../channels/access.ts";
import { isReadable, readerJoins } from "../messages/access.ts";

export type StoredUpload = Selectable<AttachmentsTable>;

export const fileNotFound = () => new ApiError("File not found.", { status: 404 });

/** SQL for messages `m` that carry the attachment `a` and that the reader can read, for after `from`. */
export const readableCarriers = (reader: ReaderSql): string => `
  attachment_messages am join messages m on m.id = am.message_id ${readerJoins(reader)}
  where am.attachment_id = a.id and ${isReadable(reader)}`;

/** For queries: whether the user may fetch the attachment `a`. */
export function isAccessible({ id, rank }: Pick<User, "id" | "rank">): RawBuilder<boolean> {
  // Both are numbers of our own, so they may stand in the text.
  const reader: ReaderSql = { id: String(id), rank: String(rank) };
  return sql.raw(`(a.owner_id = ${reader.id} or exists (select from ${readableCarriers(reader)}))`);
}

export async function accessUpload(db: Db, user: User, pathId: string): Promise<StoredUpload> {
  const { rows } = await sql<StoredUpload>`
    select a.* from attachments a
    where a.realm_id = ${user.realm_id} and a.path_id = ${pathId} and ${isAccessible(user)}`.execute(db);
  if (!rows[0]) throw fileNotFound();
  return rows[0];
}

/** For somebody without an account: what a message in a web-public channel carries. */
export async function accessPublicUpload(db: Db, realm: Realm, pathId: string): Promise<StoredUpload> {
  const { rows } = await sql<StoredUpload>`
    select a.* from attachments a
    where a.realm_id = ${realm.id} and a.path_id = ${pathId} and exists (
      select from attachment_messages am join messages m on m.id = am.message_id
        join channels c on c.id = m.conversation_id
      where am.attachment_id = a.id and c.is_web_public)`.execute(db);
  if (!rows[0]) throw fileNotFound();
  return rows[0];
}
