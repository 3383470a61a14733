-- Checks that few sends need. As parts of the statement that sends, they would be prepared at each of its executions; a
-- function costs nothing until it is called.

-- Whether the user received a message of the topic in their current subscription to the channel.
create function has_received_from(its_user_id bigint, its_channel_id bigint, its_topic_id bigint) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from messages m where m.topic_id = its_topic_id and m.id >= (
      select max(lower(stretch)) from subscriptions own cross join lateral unnest(own.received) as stretch
      where own.user_id = its_user_id and own.channel_id = its_channel_id and own.active));
end $$;

-- Whether guests of the organization see only users they share a channel or conversation with.
create function restricts_guests(its_realm_id bigint) returns boolean language plpgsql stable as $$
begin
  return (
    select seeing.max_rank < 600
    from realms org join user_groups seeing on seeing.id = org.can_access_all_users_group_id where org.id = its_realm_id);
end $$;
