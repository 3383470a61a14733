-- The first query is a cursor now: PostgreSQL plans a cursor to return its first rows soon, and walks the index from the
-- newest message on. Planned to return all rows, the query could read and sort the whole topic before the first one.
create or replace function few_topic_participants(topic bigint, most integer) returns setof bigint
language plpgsql stable set cursor_tuple_fraction = 0.0001 as $$
declare
  found_ids bigint[] := '{}';
  candidate bigint;
  newest_first cursor for select m.sender_id from messages m where m.topic_id = topic order by m.id desc;
begin
  for post in newest_first loop
    if post.sender_id <> all (found_ids) then
      found_ids := found_ids || post.sender_id;
      return next post.sender_id;
      if cardinality(found_ids) >= most then return; end if;
    end if;
  end loop;
  for candidate in
    select r.user_id from messages m join reactions r on r.message_id = m.id where m.topic_id = topic
  loop
    if candidate <> all (found_ids) then
      found_ids := found_ids || candidate;
      return next candidate;
      if cardinality(found_ids) >= most then return; end if;
    end if;
  end loop;
end $$;
