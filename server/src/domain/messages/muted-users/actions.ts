import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit, emitMuteChange } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { inChunks } from "../../base/chunks.ts";
import { accessUserById } from "../../people/users/access.ts";
import { lockLists } from "../../people/users/list-lock.ts";
import { lockSender } from "./lock.ts";
import { listMutedUsers, listUnreadFrom } from "./queries.ts";

/** Marks everything the muted user wrote and will write as read. */
export async function muteUser(tx: Tx, user: User, mutedId: number): Promise<void> {
  if (mutedId === user.id) throw new ApiError("Cannot mute self");
  const muted = await accessUserById(tx, user, mutedId);
  await lockSender(tx, muted.id);
  const unread = await listUnreadFrom(tx, user, muted.id);
  const { rows } = await sql`
    insert into muted_users (user_id, muted_user_id, realm_id, muted_at, silenced)
    values (${user.id}, ${muted.id}, ${user.realm_id}, now(), '{[0,)}')
    on conflict (user_id, muted_user_id) do update set muted_at = now(), silenced = excluded.silenced
      where muted_users.muted_at is null
    returning 1`.execute(tx);
  if (rows.length === 0) throw new ApiError("User already muted");
  emitMuteChange(tx, user.realm_id, { user: user.id, sender: muted.id, from: 0 });
  await emitMutedUsers(tx, user);
  for (const messages of inChunks(unread)) {
    const event = { type: "update_message_flags", op: "add", operation: "add", flag: "read", messages, all: false };
    emit(tx, user.realm_id, toUser(user.id), event);
  }
}

/** What they wrote so far stays read. A user can unmute people they can no longer see. */
export async function unmuteUser(tx: Tx, user: User, mutedId: number): Promise<void> {
  // The id can be any number; a request must not wait for the lock of a user it has not muted.
  if ((await listMutedUsers(tx, user)).every(({ id }) => id !== mutedId)) throw notMuted();
  const until = await lockSender(tx, mutedId);
  const { rows } = await sql`
    update muted_users set muted_at = null, silenced = silenced * int8multirange(int8range(null, ${until}))
    where realm_id = ${user.realm_id} and user_id = ${user.id} and muted_user_id = ${mutedId} and muted_at is not null
    returning 1`.execute(tx);
  if (rows.length === 0) throw notMuted();
  emitMuteChange(tx, user.realm_id, { user: user.id, sender: mutedId, until });
  await emitMutedUsers(tx, user);
}

const notMuted = (): ApiError => new ApiError("User is not muted");

/** Must come last, see lockLists(). */
async function emitMutedUsers(tx: Tx, user: User): Promise<void> {
  await lockLists(tx, [user.id]);
  const muted_users = await listMutedUsers(tx, user);
  emit(tx, user.realm_id, toUser(user.id), { type: "muted_users", muted_users });
}
