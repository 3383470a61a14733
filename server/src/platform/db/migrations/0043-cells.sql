-- phase: expand

-- Which cell this database belongs to, if it is one of several (docs/operating/cells.md).
create table cell (
  is_the_only_row boolean primary key default true check (is_the_only_row),
  -- New ids begin at number * 2^40.
  number integer not null check (number between 0 and 8191),
  -- A known text sealed with the cell's secret, which shows whether two cells have the same one.
  sealed_check text not null
);

-- The cell that an organization has left for; its rows stay until the operator deletes them.
alter table realms add column moved_to integer;

-- Files of an organization that moved to a cell with the same file store stay there.
alter table realm_deletions add column keeps_files boolean not null default false;

-- Organizations that are being moved to another cell.
create table realm_moves (
  realm_id bigint primary key,
  to_cell integer not null,
  begun_at timestamptz not null default now(),
  -- Set while the organization is frozen, when all of it has arrived. From then on it is no longer alive here.
  has_left boolean not null default false
);

-- What changed in large tables while they are copied: rows by the id of their message.
create table realm_move_changes (
  realm_id bigint not null,
  table_name text not null,
  key bigint not null
);
create index realm_move_changes_of_table on realm_move_changes (realm_id, table_name, key);

-- Before a change of a row of an organization that is being moved. Arguments: the organization, the kind of lock that whoever
-- moves it holds while nothing may change, and the column with the message's id where changes are noted.
create function guard_moving_realm() returns trigger language plpgsql as $$
declare
  its_realm_id bigint := tg_argv[0]::bigint;
begin
  if tg_table_name = 'resumable_upload_parts' then
    perform from resumable_uploads u where u.id = coalesce(new.upload_id, old.upload_id) and u.realm_id = its_realm_id;
    if not found then
      return coalesce(new, old);
    end if;
  end if;
  if not pg_try_advisory_xact_lock_shared(tg_argv[1]::integer, hashint8(its_realm_id))
    or exists (select from realm_moves m where m.realm_id = its_realm_id and m.has_left) then
    raise exception using errcode = 'SK001', message = 'This organization is being moved to another cell';
  end if;
  if tg_nargs > 2 and tg_op <> 'INSERT' then
    insert into realm_move_changes values (its_realm_id, tg_table_name, (to_jsonb(old) ->> tg_argv[2])::bigint);
  end if;
  if tg_nargs > 2 and tg_op <> 'DELETE' then
    insert into realm_move_changes values (its_realm_id, tg_table_name, (to_jsonb(new) ->> tg_argv[2])::bigint);
  end if;
  return coalesce(new, old);
end $$;
