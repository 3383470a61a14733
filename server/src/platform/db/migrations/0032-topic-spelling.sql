-- Where history is protected, each message has its topic's name as its sender wrote it: a newcomer who writes to a topic
-- they cannot see must not learn from the capitals that it exists. Null: as in `topics`.
alter table messages add column topic_spelling text;
alter table user_topics add column topic_spelling text;

-- What a message shows for `name`, its topic's name before the rename `before`, or now if that is null. Renaming the topic
-- overrides the message's own spelling. A spelling of another name was left behind by a release that does not know the
-- column.
create function spelled_topic(spelling text, name text, its_topic_id bigint, since bigint, its_id bigint, before bigint)
returns text language plpgsql stable as $$
begin
  if lower(spelling) = lower(name) and not exists (
    select from topic_edits e where e.topic_id = its_topic_id and e.id > coalesce(since, 0) and e.up_to_id >= its_id
      and (before is null or e.id < before)) then
    return spelling;
  end if;
  return name;
end $$;
