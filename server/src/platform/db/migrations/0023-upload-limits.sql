-- Uploads: parts as rows, space by person, and files that lie in the store before anything leads to them.

-- A part of a resumable upload is a row, so that appending one costs the same however many there are. Until no process of
-- the previous release is left, it may still append keys to resumable_uploads.parts; those are moved here, in order, before
-- the next part is added. Its processes must not join the parts, which they do once path_id is known: so uploads of this
-- release keep the path of their file in a column of its own.
create table resumable_upload_parts (
  upload_id text not null references resumable_uploads (id) on delete cascade,
  number integer not null,
  file_key text not null,
  primary key (upload_id, number)
);
alter table resumable_uploads add column final_path_id text;
create index resumable_uploads_by_owner on resumable_uploads (owner_id);

-- How much all files of a person take together.
create table user_upload_space (
  user_id bigint primary key references users (id) on delete cascade,
  bytes bigint not null
);

-- Nothing is uploaded or removed while what there is is counted.
lock table attachments in share row exclusive mode;
insert into user_upload_space (user_id, bytes) select owner_id, sum(size) from attachments group by owner_id;

create function user_upload_space_taken() returns trigger language plpgsql as $$
begin
  insert into user_upload_space (user_id, bytes)
  select owner_id, sum(size) from changed group by owner_id order by owner_id
  on conflict (user_id) do update set bytes = user_upload_space.bytes + excluded.bytes;
  return null;
end $$;
create trigger user_upload_space_taken after insert on attachments
  referencing new table as changed for each statement execute function user_upload_space_taken();

create function user_upload_space_freed() returns trigger language plpgsql as $$
begin
  update user_upload_space u set bytes = u.bytes - freed.bytes
  from (select owner_id, sum(size) as bytes from changed group by owner_id) as freed
  where u.user_id = freed.owner_id;
  return null;
end $$;
create trigger user_upload_space_freed after delete on attachments
  referencing old table as changed for each statement execute function user_upload_space_freed();

-- Files that are being stored. The transaction that makes something lead to a file removes its row here; a row that has
-- stayed for long belongs to a change that did not happen, and its file is removed.
create table pending_files (
  file_key text primary key,
  since timestamptz not null default now()
);
create index pending_files_by_age on pending_files (since);
