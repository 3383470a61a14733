-- phase: expand

-- How the accounts of an organization follow its LDAP directory: one row for each such provider.
create table ldap_syncs (
  provider_id bigint primary key references identity_providers (id) on delete cascade,
  realm_id bigint not null references realms (id),
  -- Null: not until somebody asks for it.
  next_at timestamptz,
  -- The worker that syncs, until this time: each claim has a number, and only the newest one changes accounts.
  claim bigint not null default 0,
  claimed_until timestamptz,
  -- How the last one ended.
  finished_at timestamptz,
  problem text,
  people integer not null default 0,
  changes integer not null default 0,
  deactivations integer not null default 0
);
create index ldap_syncs_of_realm on ldap_syncs (realm_id);
create index ldap_syncs_by_time on ldap_syncs (next_at);

-- Deactivated by a sync, which may reactivate the account; whom an administrator deactivates stays so.
alter table external_identities add column deactivated_at timestamptz;
