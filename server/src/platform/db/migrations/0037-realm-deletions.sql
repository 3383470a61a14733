-- phase: expand

-- Organizations that are being deleted, or were. A worker deletes their rows table by table, in many transactions.
create table realm_deletions (
  -- The organization's id. Not a reference: the row is still there when the organization is gone.
  id bigint primary key,
  string_id text not null,
  name text not null,
  requested_at timestamptz not null default now(),
  -- The table whose rows are being deleted.
  deleting_from text,
  rows_deleted bigint not null default 0,
  finished_at timestamptz
);
