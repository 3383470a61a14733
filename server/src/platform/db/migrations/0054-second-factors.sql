-- phase: expand

-- The secret that a person's authenticator app shares with the server, encrypted with the server's secret. Nodes of the
-- previous release do not ask for its codes.
create table totp_secrets (
  user_id bigint primary key references users (id) on delete cascade,
  realm_id bigint not null references realms (id),
  sealed_secret text not null,
  created_at timestamptz not null default now(),
  -- Null: its owner has not entered a first code yet, and is not asked for codes.
  confirmed_at timestamptz,
  -- The time step of the newest code that was accepted. No code is accepted twice.
  last_step bigint not null default 0,
  last_used_at timestamptz
);
create index totp_secrets_of_realm on totp_secrets (realm_id);

-- Codes that stand in for the app, each once. Only their SHA-256 is kept.
create table recovery_codes (
  user_id bigint not null references users (id) on delete cascade,
  code_hash bytea not null,
  realm_id bigint not null references realms (id),
  primary key (user_id, code_hash)
);
create index recovery_codes_of_realm on recovery_codes (realm_id);
