-- phase: expand

-- The row exists while the server is read-only.
create table maintenance (
  is_the_only_row boolean primary key default true check (is_the_only_row),
  -- What clients show.
  message text not null check (char_length(message) between 1 and 500),
  since timestamptz not null default now()
);
