import { caller, isCurrent } from "../access.ts";
import { isSilenced } from "../muted-users/silenced.ts";
import { endNotifications } from "./end-notifications.ts";
import { observation } from "./settled-ids.ts";
import { changedIds, isInside, lockedPlaces, emitToCaller, type Statement } from "./statement-parts.ts";

const maxRangesChecked = 100;

const isUnreadIn = (ids: string): string => `m.id >= lower(${ids}) and m.id < upper(${ids})
        and not (m.sender_id = ${caller.id} and m.read_by_sender) and not ${isSilenced(caller)}`;

/**
 * Skips messages the caller was not sent, may not see or has already read.
 *
 * Ids are shared by all conversations, so reading one message after another would leave a separate range for each.
 * Therefore the gaps between them are added too if they contain nothing unread, as far as their ids are settled ($7,
 * see SettledIds): `read` may contain any id that does not belong to an unread message. Only the newest gaps and those
 * around the messages being read are checked, so that a user who keeps many old messages unread does not pay for them
 * each time. If somebody has just changed the same row, the senders' own marks may be out of date, and merging is left
 * to a later call.
 */
export const markReadStatement: Statement = {
  name: "flags-mark-read",
  text: `with wanted as materialized (
    select m.id, coalesce(m.origin_id, m.conversation_id) as conversation_id, m.entered_at,
      m.conversation_id as channel_id
    from messages m
    where ${isCurrent} and m.id = any($6::bigint[]) and m.realm_id = ${caller.realm}
      and not (m.sender_id = ${caller.id} and m.read_by_sender) and not ${isSilenced(caller)}),
  ${lockedPlaces},
  -- Place by place: searching long ranges again for each message takes a hundred times as long.
  gains as materialized (
    select l.conversation_id, requested.ids * l.received - l.read as ids
    from places l join (
      select w.conversation_id, range_agg(int8range(w.id, w.id + 1)) as ids
      from wanted w join places l using (conversation_id) where ${isInside} group by w.conversation_id
    ) as requested using (conversation_id)),
  emitted as materialized (
    select id, g.conversation_id, null::json as details
    from gains g cross join unnest(g.ids) as gain (ids) cross join generate_series(lower(gain.ids), upper(gain.ids) - 1) as id),
  -- A separate step, so that the join never pairs different conversations.
  left_unread as materialized (
    select g.conversation_id, (select count(*) from unnest(g.ids)) as gained, range_merge(g.ids) as around,
      l.received - l.read - g.ids as ids
    from gains g join places l on l.conversation_id = g.conversation_id and l.is_as_seen
    where g.ids <> '{}'),
  stretches as materialized (
    select u.conversation_id, range_agg(stretch.ids) as ids
    from left_unread u cross join lateral (
        select ids from unnest(u.ids) as unread (ids) where upper(ids) <= $7::bigint
        order by (ids && u.around or ids -|- u.around) desc, ids desc limit ${maxRangesChecked} + 2 * u.gained
      ) as stretch
    where not exists (
      select from messages m
      where m.conversation_id = u.conversation_id and m.origin_id is null and ${isUnreadIn("stretch.ids")})
      and not exists (select from messages m where m.origin_id = u.conversation_id and ${isUnreadIn("stretch.ids")})
    group by u.conversation_id),
  totals as materialized (
    select g.conversation_id, g.ids + coalesce(s.ids, '{}') as ids
    from gains g left join stretches s using (conversation_id)
    where g.ids <> '{}'),
  in_channels as (
    update subscriptions s set read = s.read + t.ids from totals t
    where s.user_id = ${caller.id} and s.channel_id = t.conversation_id),
  in_directs as (
    update participations p set read = p.read + t.ids from totals t
    where p.user_id = ${caller.id} and p.conversation_id = t.conversation_id),
  ${endNotifications(caller.id)}
  select ${isCurrent} as is_current, true as is_valid, '{}'::bigint[] as not_subscribed,
    ${changedIds} as changed, ${emitToCaller("add", "read")} as emitted, seen.*
  from (${observation}) as seen`,
};
