import { caller } from "../access.ts";
import { isSilenced } from "../muted-users/silenced.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { isUnmutedTopic } from "../../channels/user-topics/rules.ts";
import {
  changedIds,
  isInside,
  checked,
  lockedPlaces,
  readable,
  emitToCaller,
  type Statement,
} from "./statement-parts.ts";

/** For a message in a channel the caller is subscribed to. */
const isUnmuted = isUnmutedTopic(caller, "m.topic_id", "coalesce(s.is_muted, false)");

/** What a client needs to count a message it may not have loaded. */
const unreadDetails = `json_strip_nulls(json_build_object(
      'type', case when c.id is null then 'private' else 'stream' end,
      'mentioned', nullif(coalesce(f.mentioned, false) or c.id is not null
        and (m.mentions_channel or coalesce(f.topic_wildcard_mentioned, false)) and ${isUnmuted}, false),
      'user_ids', case when c.id is null then (
        select coalesce(json_agg(other.user_id order by other.user_id), '[]') from participations other
        where other.conversation_id = m.conversation_id and other.user_id <> ${caller.id}) end,
      'stream_id', c.id,
      'topic', (select ${spelledTopic} from topics t where t.id = m.topic_id),
      'unmuted_stream_msg', case when c.id is not null then ${isUnmuted} end))`;

/**
 * Messages of channels the caller is not subscribed to cannot be unread and are left alone. A message the caller was
 * not sent counts as received from now on, since only then can it be unread.
 */
export const markUnreadStatement: Statement = {
  name: "flags-mark-unread",
  text: `with ${readable(`coalesce(m.origin_id, m.conversation_id) as conversation_id, c.id as channel_id,
      m.entered_at, coalesce(s.active, c.id is null) as is_inside,
      m.sender_id, m.sender_id = ${caller.id} and m.read_by_sender as is_read_by_sender,
      ${isSilenced(caller)} as is_silenced, ${unreadDetails} as details`)},
  ${checked},
  wanted as materialized (
    select r.* from readable r, checked where is_current and is_valid and r.is_inside),
  ${lockedPlaces},
  inside as materialized (
    select w.id, w.conversation_id, w.sender_id, w.is_read_by_sender, w.is_silenced, w.details,
      w.id <@ l.read or not w.id <@ l.received or w.is_silenced as is_read
    from wanted w join places l using (conversation_id) where ${isInside}),
  by_sender as (
    update messages m set read_by_sender = false from inside i
    where m.id = i.id and i.is_read_by_sender and m.read_by_sender returning m.id),
  unsilenced as (
    update muted_users mute set silenced = mute.silenced - unread.ids
    from (select sender_id, range_agg(int8range(id, id + 1)) as ids from inside where is_silenced group by sender_id) unread
    where mute.user_id = ${caller.id} and mute.muted_user_id = unread.sender_id),
  emitted as materialized (
    select i.id, i.conversation_id, i.details from inside i where i.is_read or i.id in (select id from by_sender)),
  losses as materialized (
    select conversation_id, range_agg(int8range(id, id + 1)) as ids from emitted group by conversation_id),
  in_channels as (
    update subscriptions s set read = s.read - l.ids, received = s.received + l.ids from losses l
    where s.user_id = ${caller.id} and s.channel_id = l.conversation_id),
  in_directs as (
    update participations p set read = p.read - l.ids from losses l
    where p.user_id = ${caller.id} and p.conversation_id = l.conversation_id)
  select is_current, is_valid, ${changedIds} as changed, ${emitToCaller("remove", "read")} as emitted,
    (select coalesce(array_agg(distinct channel_id order by channel_id), '{}') from readable where not is_inside)
      as not_subscribed
  from checked`,
};
