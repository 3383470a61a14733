/**
 * Who has read a message: users who were sent it and have read it, unless they disabled read receipts. The list leaves
 * out users the caller has muted, users who have muted the caller, and, for guests, users they cannot see.
 */
import { defaultUserSettings } from "@skein/api/settings.ts";
import { ApiError } from "../../../errors.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { prepared, type Db } from "../../../platform/db/connect.ts";
import { caller, callerValues, invalidMessages, isCurrent, isReadable, readerJoins } from "../access.ts";
import { hiddenFrom } from "../../people/users/guest-view.ts";

const mutes = (user: string, other: string): string => `exists (
        select from muted_users mute
        where mute.user_id = ${user} and mute.muted_user_id = ${other} and mute.muted_at is not null)`;

const statement = {
  name: "read-receipts",
  text: `with readable as materialized (
    select m.id, m.sender_id, m.conversation_id, coalesce(m.origin_id, m.conversation_id) as origin_id
    from messages m ${readerJoins(caller)}
    where ${isCurrent} and m.id = $6::bigint and m.realm_id = ${caller.realm} and ${isReadable(caller)}),
  readers as (
    select s.user_id from readable r join subscriptions s on s.channel_id = r.origin_id and s.active
    where r.id <@ s.received and r.id <@ s.read
    union
    select s.user_id from readable r join subscriptions s on s.channel_id = r.origin_id and not s.active
    where r.id <@ s.received and r.id <@ s.read
    union
    select p.user_id from readable r join participations p on p.conversation_id = r.conversation_id
    where r.id <@ p.read
    union
    select mute.user_id from readable r join muted_users mute on mute.muted_user_id = r.sender_id
    where r.id <@ mute.silenced and (exists (
        select from subscriptions s
        where s.user_id = mute.user_id and s.channel_id = r.origin_id and r.id <@ s.received)
      or exists (
        select from participations p where p.user_id = mute.user_id and p.conversation_id = r.conversation_id)))
  select ${isCurrent} as is_current, (select count(*) from readable) > 0 as is_readable, array(
    select u.id from readers join users u on u.id = readers.user_id, readable r
    where u.is_active and u.id <> r.sender_id
      and coalesce((u.settings->>'send_read_receipts')::boolean, $7::boolean)
      and not ${mutes(caller.id, "u.id")} and not ${mutes("u.id", caller.id)}
    order by u.id) as user_ids`,
};

interface Row {
  is_current: boolean;
  is_readable: boolean;
  user_ids: number[];
}

export async function listReaders(db: Db, user: User, messageId: number): Promise<number[]> {
  if (!user.realm.enable_read_receipts) throw new ApiError("Read receipts are disabled in this organization.");
  if (!Number.isSafeInteger(messageId)) throw invalidMessages();
  const values = [...callerValues(user), messageId, defaultUserSettings.send_read_receipts];
  const [row] = await prepared<Row>(db, statement, values);
  if (!row?.is_current) throw new StaleSession();
  if (!row.is_readable) throw invalidMessages();
  const hidden = await hiddenFrom(db, user, row.user_ids);
  return row.user_ids.filter((id) => !hidden.has(id));
}
