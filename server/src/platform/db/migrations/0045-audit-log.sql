-- phase: expand

-- One row per administrative change and per sign-in, written by the transaction of the change. Each row contains the hash of
-- the one before it, so that nobody can change or remove rows without being noticed.
create table audit_log (
  realm_id bigint not null references realms (id),
  -- 1, 2, 3, … in each organization.
  id bigint not null,
  at timestamptz not null,
  actor_kind text not null,
  actor_id bigint,
  credential_kind text,
  credential_id bigint,
  ip text,
  action text not null,
  target_kind text not null,
  target_id bigint,
  before jsonb,
  after jsonb,
  request_id text,
  prev_hash bytea not null,
  hash bytea not null,
  primary key (realm_id, id)
);
create index audit_log_of_target on audit_log (realm_id, target_kind, target_id, id);
create index audit_log_of_actor on audit_log (realm_id, actor_id, id);

-- The end of each organization's log. Whoever locks this row writes the next entry.
create table audit_heads (
  realm_id bigint primary key references realms (id),
  last_id bigint not null default 0,
  last_hash bytea not null default decode(repeat('00', 32), 'hex')
);
