-- phase: expand
-- small tables: realms

-- What a channel allows beyond the organization. The previous release knows none of these columns, so null stands for the
-- default: of can_create_topic_group everyone, of the others nobody.
alter table channels
  add column topics_policy text not null default 'inherit',
  add column can_create_topic_group_id bigint references user_groups (id),
  add column can_delete_any_message_group_id bigint references user_groups (id),
  add column can_delete_own_message_group_id bigint references user_groups (id),
  add column can_move_messages_out_of_channel_group_id bigint references user_groups (id),
  add column can_move_messages_within_channel_group_id bigint references user_groups (id),
  add column can_resolve_topics_group_id bigint references user_groups (id);

-- Who may decide on these in the channels they administer; and whether changes of a channel are announced in it.
alter table realms
  add column can_set_delete_message_policy_group_id bigint references user_groups (id) deferrable initially deferred,
  add column can_set_topics_policy_group_id bigint references user_groups (id) deferrable initially deferred,
  add column send_channel_events_messages boolean not null default true;

update realms r set can_set_delete_message_policy_group_id = moderators.id, can_set_topics_policy_group_id = members.id
from user_groups moderators, user_groups members
where moderators.realm_id = r.id and moderators.is_system and moderators.name = 'role:moderators'
  and members.realm_id = r.id and members.is_system and members.name = 'role:members';

-- The previous release creates organizations without them, and their groups after them: so they are filled at the end of
-- its transaction.
create function fill_policy_groups() returns trigger language plpgsql as $$
begin
  update realms r set
    can_set_delete_message_policy_group_id = coalesce(r.can_set_delete_message_policy_group_id, (
      select id from user_groups where realm_id = r.id and is_system and name = 'role:moderators')),
    can_set_topics_policy_group_id = coalesce(r.can_set_topics_policy_group_id, (
      select id from user_groups where realm_id = r.id and is_system and name = 'role:members'))
  where r.id = new.id;
  return null;
end $$;
create constraint trigger realms_policy_groups after insert on realms deferrable initially deferred for each row
  when (new.can_set_delete_message_policy_group_id is null or new.can_set_topics_policy_group_id is null)
  execute function fill_policy_groups();

-- Whether a message may be written to a topic where not everyone may start one: it has messages already, or the sender, or
-- the owner of a bot, is in the group. A function, because few sends need it: see 0034.
create function may_write_to_topic(person bigint, person_rank integer, its_owner bigint, starters bigint, its_topic_id bigint)
returns boolean language plpgsql stable as $$
begin
  return exists (select from messages m where m.topic_id = its_topic_id) or in_group(person, person_rank, starters)
    or (its_owner is not null and account_in_group(its_owner, starters));
end $$;

-- How many active accounts are subscribed to each channel. Registration tells it of every channel, and counting would take
-- longer than all else. A channel without a row is older than this table and has not changed since; it is counted when asked
-- for, until the backfill has come to it.
create table channel_subscriber_counts (
  channel_id bigint primary key references channels (id) on delete cascade,
  realm_id bigint not null references realms (id),
  subscribers integer not null
);
create index channel_subscriber_counts_of_realm on channel_subscriber_counts (realm_id);

create function begin_counting_subscribers() returns trigger language plpgsql as $$
begin
  insert into channel_subscriber_counts (channel_id, realm_id, subscribers) select id, realm_id, 0 from added;
  return null;
end $$;
create trigger channels_counted after insert on channels
  referencing new table as added for each statement execute function begin_counting_subscribers();

-- Volatile: sees what others have committed while this transaction waited for them. Always by the index: a plan made when
-- there were few subscriptions is kept.
create function count_subscribers(its_channel_id bigint) returns integer language plpgsql volatile
set enable_seqscan = off as $$
begin
  return (
    select count(*) from subscriptions s join users u on u.id = s.user_id and u.is_active
    where s.channel_id = its_channel_id and s.active);
end $$;

create function add_to_subscriber_count(its_channel_id bigint, its_realm_id bigint, difference integer) returns void
language plpgsql as $$
begin
  update channel_subscriber_counts set subscribers = subscribers + difference where channel_id = its_channel_id;
  if found then
    return;
  end if;
  insert into channel_subscriber_counts (channel_id, realm_id, subscribers)
  values (its_channel_id, its_realm_id, count_subscribers(its_channel_id))
  on conflict (channel_id) do update set subscribers = count_subscribers(excluded.channel_id);
end $$;

-- All in the order of the channels, so that two transactions cannot wait for each other.
create function count_new_subscriptions() returns trigger language plpgsql as $$
begin
  perform add_to_subscriber_count(c.channel_id, c.realm_id, c.more)
  from (
    select added.channel_id, added.realm_id, count(*)::integer as more
    from added join users u on u.id = added.user_id and u.is_active
    where added.active group by added.channel_id, added.realm_id order by added.channel_id
  ) c;
  return null;
end $$;
create trigger subscriptions_counted after insert on subscriptions
  referencing new table as added for each statement execute function count_new_subscriptions();

create function count_changed_subscription() returns trigger language plpgsql as $$
begin
  if exists (select from users where id = new.user_id and is_active) then
    perform add_to_subscriber_count(new.channel_id, new.realm_id, case when new.active then 1 else -1 end);
  end if;
  return null;
end $$;
create trigger subscriptions_recounted after update of active on subscriptions
  for each row when (old.active is distinct from new.active) execute function count_changed_subscription();

create function count_changed_account() returns trigger language plpgsql as $$
begin
  perform add_to_subscriber_count(s.channel_id, s.realm_id, case when new.is_active then 1 else -1 end)
  from (select channel_id, realm_id from subscriptions where user_id = new.id and active order by channel_id) s;
  return null;
end $$;
create trigger users_recounted after update of is_active on users
  for each row when (old.is_active is distinct from new.is_active) execute function count_changed_account();
