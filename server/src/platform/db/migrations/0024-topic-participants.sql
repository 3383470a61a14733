-- Those who have written or reacted in a topic, but no more than `most` of them: it stops reading when it has found as many.
create function few_topic_participants(topic bigint, most integer) returns setof bigint language plpgsql stable as $$
declare
  found_ids bigint[] := '{}';
  candidate bigint;
begin
  for candidate in select m.sender_id from messages m where m.topic_id = topic order by m.id desc loop
    if candidate <> all (found_ids) then
      found_ids := found_ids || candidate;
      return next candidate;
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
