-- phase: expand

-- Accounts that are being merged into others, or were: everything of `from_id` then belongs to `into_id`.
create table user_merges (
  from_id bigint primary key references users (id),
  into_id bigint not null references users (id),
  realm_id bigint not null references realms (id),
  started_at timestamptz not null default now(),
  -- The newest message and the newest edit when it began.
  first_id bigint not null,
  first_edit_id bigint not null,
  -- Mentions in messages up to this id, and in edits up to this id, are rewritten.
  searched_id bigint not null default 0,
  searched_edit_id bigint not null default 0,
  finished_at timestamptz
);
create index user_merges_into on user_merges (into_id);
-- Two merges of the same accounts would undo each other, so an organization has one at a time.
create unique index user_merges_under_way on user_merges (realm_id) where finished_at is null;
