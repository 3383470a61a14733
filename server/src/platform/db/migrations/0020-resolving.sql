-- Who may mark topics as resolved. Until now that was whoever may move messages between topics, and so it stays until
-- somebody chooses; a group without a name never changes, so two settings may share one.
alter table realms add column can_resolve_topics_group_id bigint references user_groups (id) deferrable initially deferred;
update realms set can_resolve_topics_group_id = can_move_messages_between_topics_group_id;

-- Servers of an earlier version, still running, make organizations without it.
create function fill_can_resolve_topics_group() returns trigger language plpgsql as $$
begin
  new.can_resolve_topics_group_id := coalesce(
    new.can_resolve_topics_group_id, new.can_move_messages_between_topics_group_id);
  return new;
end $$;
create trigger realms_resolving before insert on realms for each row execute function fill_can_resolve_topics_group();

alter table realms alter column can_resolve_topics_group_id set not null;
