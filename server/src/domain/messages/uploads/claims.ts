/**
 * A message that names a file carries it: everybody who reads the message may fetch the file. A message can only carry
 * files its writer may fetch, or else naming a file would give access to it. The owner gets events about messages the
 * owner can read.
 */
import type { Attachment } from "@skein/api/uploads.ts";
import { sql } from "kysely";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isAccessible } from "./access.ts";
import { isCarrierSeenByOwner, listAttachments, uploadSpaceUsed } from "./queries.ts";

/** For a message that was just sent. */
export async function claimAttachments(tx: Tx, writer: User, messageId: number, pathIds: string[]): Promise<void> {
  const claimed = await claim(tx, writer, messageId, pathIds);
  const seen = await seenByOwner(tx, [messageId]);
  await emitToOwners(
    tx,
    writer.realm_id,
    claimed.filter((id) => seen.includes(id)),
  );
}

/**
 * For messages that are about to be removed. Call the returned function once they are: it emits the events to the
 * owners.
 */
export async function prepareOwnerEvents(
  tx: Tx,
  realmId: number,
  messageIds: readonly number[],
): Promise<() => Promise<void>> {
  const seen = await seenByOwner(tx, messageIds);
  return () => emitToOwners(tx, realmId, seen);
}

/**
 * For an edited message that now names these files. Returns the editor's own files that no message carries any more:
 * the editor may want to remove them.
 */
export async function attachmentsAfterEdit(
  tx: Tx,
  editor: User,
  messageId: number,
  pathIds: string[],
): Promise<Attachment[]> {
  const before = await seenByOwner(tx, [messageId]);
  const { rows: released } = await sql<{ id: number }>`
    delete from attachment_messages am using attachments a
    where am.message_id = ${messageId} and a.id = am.attachment_id and not a.path_id = any(${pathIds}::text[])
    returning a.id`.execute(tx);
  const claimed = await claim(tx, editor, messageId, pathIds);
  if (released.length + claimed.length === 0) return [];
  const after = await seenByOwner(tx, [messageId]);
  const releasedIds = released.map(({ id }) => id);
  const changed = new Set([...releasedIds, ...claimed]);
  const seen = [...before, ...after].filter((id) => changed.has(id));
  await emitToOwners(tx, editor.realm_id, [...new Set(seen)]);
  const left = await listAttachments(tx, editor.realm_id, sql`a.id = any(${releasedIds}::bigint[])`);
  return left.flatMap(({ owner_id, is_unclaimed, object }) => (owner_id === editor.id && is_unclaimed ? [object] : []));
}

async function claim(tx: Tx, writer: User, messageId: number, pathIds: string[]): Promise<number[]> {
  if (pathIds.length === 0) return [];
  // Locked, so that a file its owner removes at this moment is skipped instead of failing the statement.
  const { rows } = await sql<{ attachment_id: number }>`
    with named as materialized (
      select a.id, a.realm_id from attachments a
      where a.realm_id = ${writer.realm_id} and a.path_id = any(${pathIds}::text[]) and ${isAccessible(writer)}
      order by a.id for key share of a)
    insert into attachment_messages (attachment_id, message_id, realm_id)
    select id, ${messageId}::bigint, realm_id from named
    on conflict do nothing
    returning attachment_id`.execute(tx);
  return rows.map(({ attachment_id }) => attachment_id);
}

/** The attachments of these messages, where the owner can read the message. */
async function seenByOwner(tx: Tx, messageIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct a.id from attachment_messages carried join attachments a on a.id = carried.attachment_id
      join users o on o.id = a.owner_id join realms r on r.id = a.realm_id
    where carried.message_id = any(${messageIds}::bigint[])
      and ${isCarrierSeenByOwner("carried.message_id")}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function emitToOwners(tx: Tx, realmId: number, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const changed = await listAttachments(tx, realmId, sql`a.id = any(${ids}::bigint[])`);
  const upload_space_used = await uploadSpaceUsed(tx, realmId);
  for (const { owner_id, object } of changed)
    emit(tx, realmId, toUser(owner_id), { type: "attachment", op: "update", attachment: object, upload_space_used });
}
