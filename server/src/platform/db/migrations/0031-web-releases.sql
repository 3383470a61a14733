-- Builds of the web client whose files are in the file store, so that every node can serve those of every release in use.
create table web_releases (
  -- A hash of the names of its files, which hold hashes of what is in them.
  id text primary key,
  files text[] not null,
  -- Null until all of them are there.
  published_at timestamptz,
  -- Nodes that serve it say so now and then.
  seen_at timestamptz not null default now()
);
