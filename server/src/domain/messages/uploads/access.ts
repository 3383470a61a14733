/**
 * Who may fetch a file: its owner, and everybody who can read a message that carries it, by the one rule for messages.
 * It is checked for each request, so that moving or deleting a message, or leaving a channel, takes effect on the file
 * at once. The response does not reveal whether a file the user may not fetch exists.
 */
import { sql, type RawBuilder, type Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AttachmentsTable } from "../../../platform/db/schema.ts";
import type { ReaderSql } from "../../channels/access.ts";
import { isReadable, readerJoins } from "../access.ts";

export type StoredUpload = Selectable<AttachmentsTable>;

export const fileNotFound = () => new ApiError("File not found.", { status: 404 });

/** SQL, to follow `from`, for the messages `m` that carry the attachment `a` and that the reader can read. */
export const readableCarriers = (reader: ReaderSql): string => `
  attachment_messages am join messages m on m.id = am.message_id ${readerJoins(reader)}
  where am.attachment_id = a.id and ${isReadable(reader)}`;

/** An SQL condition: whether the user may fetch the attachment `a`. */
export function isAccessible({ id, rank }: Pick<User, "id" | "rank">): RawBuilder<boolean> {
  // Both are our own numbers, safe to put into the SQL text.
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

/** For visitors without an account: files carried by a message in a web-public channel. */
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
