-- phase: expand

-- Whether an import made the account and nobody has signed in to it.
alter table users add column is_imported_stub boolean not null default false;
