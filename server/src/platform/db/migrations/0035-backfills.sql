-- phase: expand

-- Changes of existing rows that workers make in small batches after a migration (platform/db/backfills.ts). The statement is
-- stored here, so that a worker of any release can run it.
create table schema_backfills (
  name text primary key,
  table_name text not null,
  key_column text not null,
  statement text not null,
  -- All rows up to this key are done; null until the first batch.
  checkpoint bigint,
  -- The lowest and the highest key when it began. Rows above are written completely.
  first_key bigint,
  target bigint,
  changed_rows bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz,
  finished_at timestamptz,
  -- Why the last attempt failed.
  problem text
);
