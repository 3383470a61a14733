-- Files: what they show, whether anything still needs them, and those that arrive piece by piece.

-- A file that is a picture says how large it is to be seen, and of how many frames.
alter table attachments add column width integer;
alter table attachments add column height integer;
alter table attachments add column frames integer;
alter table attachments add check ((width is null) = (height is null) and (width is null) = (frames is null));

-- Since when no message carries it; null while one does. Whatever takes a message away takes its claims with it, so the
-- database itself keeps count.
alter table attachments add column unclaimed_since timestamptz default now();
create index attachments_unclaimed on attachments (unclaimed_since) where unclaimed_since is not null;

create function attachments_claimed() returns trigger language plpgsql as $$
begin
  update attachments set unclaimed_since = null
  where id in (select attachment_id from claims) and unclaimed_since is not null;
  return null;
end $$;
create trigger attachments_claimed after insert on attachment_messages
  referencing new table as claims for each statement execute function attachments_claimed();

create function attachments_unclaimed() returns trigger language plpgsql as $$
begin
  -- Most messages carry no file, and each that goes asks.
  if not exists (select from claims) then return null; end if;
  update attachments a set unclaimed_since = now()
  where a.id in (select attachment_id from claims) and a.unclaimed_since is null
    and not exists (select from attachment_messages c where c.attachment_id = a.id);
  return null;
end $$;
create trigger attachments_unclaimed after delete on attachment_messages
  referencing old table as claims for each statement execute function attachments_unclaimed();

-- How much all files of an organization take together.
create table upload_space (
  realm_id bigint primary key references realms (id) on delete cascade,
  bytes bigint not null
);

create function upload_space_taken() returns trigger language plpgsql as $$
begin
  insert into upload_space (realm_id, bytes)
  select realm_id, sum(size) from changed group by realm_id order by realm_id
  on conflict (realm_id) do update set bytes = upload_space.bytes + excluded.bytes;
  return null;
end $$;
create trigger upload_space_taken after insert on attachments
  referencing new table as changed for each statement execute function upload_space_taken();

create function upload_space_freed() returns trigger language plpgsql as $$
begin
  update upload_space u set bytes = u.bytes - freed.bytes
  from (select realm_id, sum(size) as bytes from changed group by realm_id) as freed
  where u.realm_id = freed.realm_id;
  return null;
end $$;
create trigger upload_space_freed after delete on attachments
  referencing old table as changed for each statement execute function upload_space_freed();

-- A file that is sent in several requests. Its parts lie in the file store under these keys, in order.
create table resumable_uploads (
  id text primary key,
  realm_id bigint not null references realms (id) on delete cascade,
  owner_id bigint not null references users (id),
  file_name text not null check (char_length(file_name) <= 255),
  content_type text not null,
  size bigint not null check (size >= 0),
  received bigint not null default 0,
  parts text[] not null default '{}',
  -- The file it has become.
  path_id text,
  expires_at timestamptz not null
);
create index resumable_uploads_by_expiry on resumable_uploads (expires_at);

-- The uploaded pictures of an organization, by the unguessable part of their files' names.
alter table realms add column icon_key text;
alter table realms add column logo_key text;
alter table realms add column night_logo_key text;
